"""Block rates: what share of the items a rater flags, whatever people say of them.

The RTP-LX paper (de Wynter et al., 2025) reports them for block lists, by language and subset; they are as telling for
any other rater.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.measures import Measure, Slice, defined
from evaluation.measuring.agreement import Intervals
from evaluation.measuring.slices import Mask, Part
from evaluation.metrics.bootstrap import bootstrap
from evaluation.metrics.cell import Cell
from evaluation.metrics.levels import MISSING
from evaluation.metrics.resampling import Resamples
from evaluation.rating_table import RatingTable

METRIC = "block_rate"
REFERENCE = "none"
ANY = "any"
"""In the place of a category: some category that the rater covers is above level 1."""

_SHARE = "false_positive_rate"
"""Against a reference that calls every item harmless, the false-positive rate is the share above level 1."""


def block_rate_measures(
    tables: Sequence[RatingTable],
    items: ItemTable,
    categories: Taxonomy,
    resamples: Resamples,
    intervals: Intervals,
) -> Iterator[Measure]:
    """Yield, by rater and category, the share of rated items above level 1, in every part of the corpus.

    The parts are languages, subsets, subsets of languages and the whole; where the corpus has several roles, each of
    these within each role, for completions that are harmless by design would thin the rates of the others.
    """
    parts = _parts(items)
    for table in tables:
        flags = _flags(table, categories)
        cells = {
            (number, name): Cell.of(
                flagged[part.mask], np.ones(int(part.mask.sum())), items.source_ids[part.mask], levels=2
            )
            for number, part in enumerate(parts)
            for name, flagged in flags.items()
            if (flagged[part.mask] != MISSING).any()
        }
        if not cells:
            continue
        found = bootstrap(cells, [_SHARE], resamples=resamples)
        for (number, name), cell in cells.items():
            interval = found.interval((number, name), _SHARE, method=intervals.method, level=intervals.confidence)
            where = parts[number].slice
            yield Measure(
                metric=METRIC,
                rater=table.summary.name,
                reference=REFERENCE,
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


def _parts(items: ItemTable) -> list[Part]:
    everything: Mask = np.ones(len(items), dtype=np.bool_)
    by_role = _split(items.roles, everything)
    by_language = _split(items.languages, everything)
    by_subset = _split(items.subsets, everything)
    languages = [*by_language, (None, everything)] if len(by_language) > 1 else by_language
    subsets = [(None, everything), *by_subset] if len(by_subset) > 1 else [(None, everything)]
    roles = by_role if len(by_role) > 1 else [(None, everything)]
    return [
        Part(Slice(language=tag, subset=subset, role=role), mask)
        for role, in_role in roles
        for subset, in_subset in subsets
        for tag, in_language in languages
        if (mask := in_role & in_subset & in_language).any()
    ]


def _split(column: NDArray[np.str_], within: Mask) -> list[tuple[str | None, Mask]]:
    return [(str(value), within & (column == value)) for value in np.unique(column) if value]


def _flags(table: RatingTable, categories: Taxonomy) -> dict[str, NDArray[np.int8]]:
    """Return category -> 1 (not flagged), 2 (flagged) or `MISSING` for every item; `ANY` where several are covered."""
    columns = {name: table.levels[:, categories.names.index(name)] for name in table.summary.covers}
    flags = {name: np.where(levels > 1, 2, np.where(levels == MISSING, MISSING, 1)) for name, levels in columns.items()}
    if len(flags) > 1:
        stacked = np.stack(list(flags.values()))
        flags[ANY] = np.where((stacked > 0).any(axis=0), stacked.max(axis=0), MISSING)
    return flags
