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
from evaluation.measures import Measure, Slice
from evaluation.measuring.agreement import Intervals
from evaluation.measuring.flag_share import ANY, flag_shares, flags_of
from evaluation.measuring.slices import Mask, Part
from evaluation.metrics.resampling import Resamples
from evaluation.rating_table import RatingTable

METRIC = "block_rate"
REFERENCE = "none"


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
        flags = flags_of(table, categories)
        if len(table.summary.covers) == 1:
            del flags[ANY]  # it would say the same again
        yield from flag_shares(table.summary.name, flags, parts, METRIC, REFERENCE, items, resamples, intervals)


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
