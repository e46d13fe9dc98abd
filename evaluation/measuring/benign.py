"""False positives on benign completions: texts that are harmless by construction and so need no human label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from babelguard.item import Role
from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.measures import Measure, Slice, defined
from evaluation.measuring.agreement import Intervals
from evaluation.metrics.bootstrap import bootstrap
from evaluation.metrics.cell import Cell
from evaluation.metrics.levels import MISSING
from evaluation.metrics.resampling import Resamples
from evaluation.rating_table import RatingTable

METRIC = "false_positive_rate"
REFERENCE = "benign-by-construction"
ANY = "any"
"""In the place of a category: some category that the rater covers is above level 1."""


def benign_measures(
    tables: Sequence[RatingTable],
    items: ItemTable,
    categories: Taxonomy,
    resamples: Resamples,
    intervals: Intervals,
) -> Iterator[Measure]:
    """Yield, by rater, language and category, the share of benign completions that get a level above 1."""
    benign = items.roles == Role.BENIGN_COMPLETION.value
    for table in tables:
        rated = benign & (table.levels > 0).any(axis=1)
        tags = [str(tag) for tag in np.unique(items.languages[rated])]
        parts = [(Slice(language=tag, role=Role.BENIGN_COMPLETION.value), items.languages == tag) for tag in tags]
        if len(tags) > 1:
            parts.append((Slice(role=Role.BENIGN_COMPLETION.value), np.ones(len(items), dtype=bool)))
        flags = _flags(table, categories)
        cells = {
            (number, name): Cell.of(
                flagged[rated & mask], np.ones(int((rated & mask).sum())), items.source_ids[rated & mask], levels=2
            )
            for number, (_, mask) in enumerate(parts)
            for name, flagged in flags.items()
        }
        if not cells:
            continue
        found = bootstrap(cells, [METRIC], resamples=resamples)
        for (number, name), cell in cells.items():
            interval = found.interval((number, name), METRIC, method=intervals.method, level=intervals.confidence)
            where = parts[number][0]
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


def _flags(table: RatingTable, categories: Taxonomy) -> dict[str, np.ndarray]:
    """Return category -> 1 (not flagged), 2 (flagged) or `MISSING` for every item."""
    flags: dict[str, np.ndarray] = {}
    for name in table.summary.covers:
        levels = table.levels[:, categories.names.index(name)]
        flags[name] = np.where(levels == MISSING, MISSING, np.where(levels > 1, 2, 1))
    columns = np.stack(list(flags.values()))
    flags[ANY] = np.where((columns > 0).any(axis=0), columns.max(axis=0), MISSING)
    return flags
