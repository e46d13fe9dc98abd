"""The share of texts that a rater flags (gives a level above 1), with its interval: block rates and false alarms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.measures import Measure, defined
from evaluation.measuring.agreement import Intervals
from evaluation.measuring.slices import Part
from evaluation.metrics.bootstrap import bootstrap
from evaluation.metrics.cell import Cell
from evaluation.metrics.levels import MISSING
from evaluation.metrics.resampling import Resamples
from evaluation.rating_table import RatingTable

ANY = "any"
"""In the place of a category: some category that the rater covers is above level 1."""

_SHARE = "false_positive_rate"
"""Against a reference that calls every item harmless, the false-positive rate is the share above level 1."""


def flags_of(table: RatingTable, categories: Taxonomy) -> dict[str, NDArray[np.int8]]:
    """Return category, and `ANY`, -> 1 (not flagged), 2 (flagged) or `MISSING` for every item."""
    columns = {name: table.levels[:, categories.names.index(name)] for name in table.summary.covers}
    flags = {name: np.where(levels > 1, 2, np.where(levels == MISSING, MISSING, 1)) for name, levels in columns.items()}
    stacked = np.stack(list(flags.values()))
    flags[ANY] = np.where((stacked > 0).any(axis=0), stacked.max(axis=0), MISSING)
    return flags


def flag_shares(
    rater: str,
    flags: dict[str, NDArray[np.int8]],
    parts: Sequence[Part],
    metric: str,
    reference: str,
    items: ItemTable,
    resamples: Resamples,
    intervals: Intervals,
) -> Iterator[Measure]:
    """Yield, by part and category, the share of the rated items that are flagged; parts without any are left out."""
    cells = {
        (number, name): Cell.of(
            flagged[part.mask], np.ones(int(part.mask.sum())), items.source_ids[part.mask], levels=2
        )
        for number, part in enumerate(parts)
        for name, flagged in flags.items()
        if (flagged[part.mask] != MISSING).any()
    }
    if not cells:
        return
    found = bootstrap(cells, [_SHARE], resamples=resamples)
    for (number, name), cell in cells.items():
        interval = found.interval((number, name), _SHARE, method=intervals.method, level=intervals.confidence)
        where = parts[number].slice
        yield Measure(
            metric=metric,
            rater=rater,
            reference=reference,
            category=name,
            slice=where,
            aggregate="cell" if where.language else "pooled",
            value=defined(interval.estimate),
            low=defined(interval.low),
            high=defined(interval.high),
            n_items=cell.n_items,
            n_clusters=cell.n_clusters,
            n_undefined=interval.n_undefined,
        )
