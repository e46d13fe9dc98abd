"""Confidence intervals of a guard's figures by language, for its card: a bootstrap over source_ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.taxonomy import Taxonomy
from evaluation.metrics.bootstrap import bootstrap
from evaluation.metrics.cell import Cell
from evaluation.metrics.interval import Interval
from evaluation.metrics.levels import MISSING
from evaluation.metrics.resampling import Resamples
from train.figures import Rated

METRICS = ("linear_kappa", "macro_f1")
ALL = "all"


def language_intervals(
    rated: Rated, source_ids: NDArray[np.str_], taxonomy: Taxonomy, *, replicates: int = 1000, seed: int = 0
) -> dict[str, dict[str, Any]]:
    """Return kappa and macro-F1 by language, means over the categories, with 95% percentile intervals.

    Args:
        rated: Levels and what people said.
        source_ids: Alignment key of each item: contents are drawn whole, in all languages and registers.
        taxonomy: The categories.
        replicates: Bootstrap replicates.
        seed: Of the draws.

    Returns:
        Language, or `ALL` for the mean over all languages and categories -> ``{metric: [estimate, low, high]}``, and
        ``false_positive_rate``, the share of benign items that are flagged, where there are some. `None` where a figure
        is undefined.
    """
    tags = sorted(set(rated.languages.tolist()))
    cells: dict[tuple[str, str], Cell] = {}
    for tag in tags:
        rows = rated.languages == tag
        for place, category in enumerate(taxonomy):
            truth = rated.truth[rows, place]
            if (truth != MISSING).any():
                cells[tag, category.name] = Cell.of(
                    rated.levels[rows, place], truth, source_ids[rows], levels=category.scale
                )
    resamples = Resamples.draw(source_ids, n_resamples=replicates, rng=seed)
    figures = bootstrap(cells, METRICS, resamples=resamples)
    found: dict[str, dict[str, Any]] = {}
    for tag in (ALL, *tags):
        keys = [key for key in cells if tag in (ALL, key[0])]
        found[tag] = {
            metric: _bounds(figures.mean(keys, metric, undefined="skip").interval(method="percentile"))
            for metric in METRICS
            if keys
        }
    for tag, bounds in _false_positives(rated, source_ids, resamples).items():
        found[tag]["false_positive_rate"] = bounds
    return found


def _false_positives(
    rated: Rated, source_ids: NDArray[np.str_], resamples: Resamples
) -> Mapping[str, list[float | None]]:
    flagged = np.where((rated.levels > 1).any(axis=1), 2, 1)
    cells = {}
    for tag in (ALL, *sorted(set(rated.languages.tolist()))):
        rows = rated.benign & ((rated.languages == tag) | (tag == ALL))
        if rows.any():
            cells[tag] = Cell.of(flagged[rows], np.ones(int(rows.sum()), dtype=int), source_ids[rows], levels=2)
    if not cells:
        return {}
    figures = bootstrap(cells, ["false_positive_rate"], resamples=resamples)
    return {tag: _bounds(figures.interval(tag, "false_positive_rate", method="percentile")) for tag in cells}


def _bounds(interval: Interval) -> list[float | None]:
    values = (interval.estimate, interval.low, interval.high)
    return [None if np.isnan(value) else float(value) for value in values]
