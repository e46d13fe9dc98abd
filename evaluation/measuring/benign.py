"""False positives on benign completions: texts that are harmless by construction and so need no human label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from babelguard.item import Role
from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.measures import Measure, Slice
from evaluation.measuring.agreement import Intervals
from evaluation.measuring.flag_share import flag_shares, flags_of
from evaluation.measuring.slices import Part
from evaluation.metrics.resampling import Resamples
from evaluation.rating_table import RatingTable

METRIC = "false_positive_rate"
REFERENCE = "benign-by-construction"


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
        role = Role.BENIGN_COMPLETION.value
        parts = [Part(Slice(language=tag, role=role), rated & (items.languages == tag)) for tag in tags]
        if len(tags) > 1:
            parts.append(Part(Slice(role=role), rated))
        flags = flags_of(table, categories)
        yield from flag_shares(table.summary.name, flags, parts, METRIC, REFERENCE, items, resamples, intervals)
