"""The figures of one split: what an evaluation inside training prints, and what the best weights are chosen by.

Every figure comes from `evaluation.metrics`. A cell is one category in one language; summaries are unweighted means
over the cells in which the figure is defined, so that a large language does not hide a small one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from babelguard.taxonomy import Taxonomy
from evaluation.metrics.classification import macro_f1
from evaluation.metrics.cohen_kappa import cohen_kappa
from evaluation.metrics.false_positive_rate import flag_rate
from evaluation.metrics.levels import MISSING
from evaluation.metrics.score_ranking import auprc

SUMMARY = ("linear_kappa", "macro_f1", "auprc", "false_positive_rate", "flip_rate")
"""Names of the summaries; those of `LOWER_IS_BETTER` are better when small."""
LOWER_IS_BETTER = frozenset({"false_positive_rate", "flip_rate", "loss"})


@dataclass(frozen=True)
class Rated:
    """Ratings of the items of one split, beside what people said.

    Attributes:
        levels: Item x category, int: the guard's levels, `MISSING` where it gave none.
        truth: Item x category, int: the reference's levels, `MISSING` where the category is not covered.
        chances: Item x category: probability (0-1) of a level above 1, NaN where there is none.
        languages: A tag an item.
        benign: Whether an item is harmless by construction; it needs no reference.
        twins: Rows of pairs, shape (pairs, 2): a text and its twin in another register.
    """

    levels: npt.NDArray[np.int64]
    truth: npt.NDArray[np.int64]
    chances: npt.NDArray[np.float64]
    languages: npt.NDArray[np.str_]
    benign: npt.NDArray[np.bool_]
    twins: npt.NDArray[np.int64]


def figures_of(rated: Rated, categories: Taxonomy) -> dict[str, Any]:
    """Return the summary and the cells as plain values; `None` where a figure is undefined.

    Args:
        rated: The ratings.
        categories: The taxonomy, in the columns' order.
    """
    cells = [
        {"language": tag, "category": category.name, **_cell(rated, rated.languages == tag, column, category.scale)}
        for tag in sorted(set(rated.languages.tolist()))
        for column, category in enumerate(categories)
    ]
    covered = rated.truth != MISSING
    answered = rated.levels != MISSING
    summary = {name: _mean(cells, name) for name in ("linear_kappa", "macro_f1", "auprc")}
    summary["false_positive_rate"] = _false_positives(rated)
    summary["flip_rate"] = _flip_rate(rated)
    return {
        "summary": summary,
        "items": len(rated.languages),
        "ratings": int(covered.sum()),
        "missing": int((covered & ~answered).sum()),
        "cells": cells,
    }


def better(figure: str, new: float | None, old: float | None) -> bool:
    """Tell whether a figure is better than an older one; an undefined figure is better than none."""
    if new is None:
        return False
    if old is None:
        return True
    return new < old if figure in LOWER_IS_BETTER else new > old


def false_positives_at(threshold: float, chances: Sequence[float]) -> float:
    """Return the share of the chances (0-1) of harmless texts that reach a threshold."""
    return float(np.mean(np.asarray(chances) >= threshold)) if len(chances) else float("nan")


def _cell(rated: Rated, rows: npt.NDArray[np.bool_], column: int, scale: int) -> Mapping[str, float | int | None]:
    ours, theirs = rated.levels[rows, column], rated.truth[rows, column]
    chances = rated.chances[rows, column]
    return {
        "items": int(((ours != MISSING) & (theirs != MISSING)).sum()),
        "linear_kappa": _number(cohen_kappa(ours, theirs, levels=scale, weights="linear")),
        "macro_f1": _number(macro_f1(ours, theirs, levels=scale)),
        "auprc": _number(auprc(chances, theirs, levels=scale)),
    }


def _false_positives(rated: Rated) -> float | None:
    """Return the share of the benign items that get a level above 1 in any category."""
    rows = rated.benign & (rated.levels != MISSING).any(axis=1)
    if not rows.any():
        return None
    return _number(flag_rate(np.where((rated.levels[rows] > 1).any(axis=1), 2, 1), levels=2))


def _flip_rate(rated: Rated) -> float | None:
    """Return the share of the pairs of register twins of which one is flagged in a category and the other is not."""
    if not len(rated.twins):
        return None
    ours, theirs = (rated.levels[rated.twins[:, side]] for side in (0, 1))
    both = (ours != MISSING) & (theirs != MISSING)
    if not both.any():
        return None
    return _number(float(((ours > 1) != (theirs > 1))[both].mean()))


def _mean(cells: Sequence[Mapping[str, Any]], name: str) -> float | None:
    values = [cell[name] for cell in cells if cell[name] is not None]
    return float(np.mean(values)) if values else None


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
