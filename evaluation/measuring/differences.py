"""Differences between raters on the texts that both of them rated, by paired bootstrap with Holm's correction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.measures import MACRO, Difference, Slice, defined
from evaluation.measuring.agreement import Intervals
from evaluation.measuring.slices import Family
from evaluation.measuring.subject import Subject
from evaluation.metrics.bootstrap import Bootstrap, bootstrap
from evaluation.metrics.cell import Cell
from evaluation.metrics.holm import holm
from evaluation.metrics.levels import MISSING
from evaluation.metrics.resampling import Resamples
from evaluation.metrics.statistic import Comparison, Statistic, compare, mean_of

METRICS = ("percentage_agreement", "linear_kappa", "ac2")


@dataclass(frozen=True, slots=True)
class _Pair:
    first: Subject
    second: Subject
    shared: tuple[int, ...]
    places: tuple[str, ...]
    replicates: Bootstrap[tuple[str, str, int]]


def differences(
    subjects: Sequence[Subject],
    family: Family,
    items: ItemTable,
    categories: Taxonomy,
    resamples: Resamples,
    intervals: Intervals,
) -> list[Difference]:
    """Return first minus second for every two raters, over all languages and in each.

    Both are measured on the same items, those with a level from both, and in the categories that both cover. The
    correction is over all differences of the run in the same metric.
    """
    systems = [subject for subject in subjects if subject.system]
    found: list[Difference] = []
    for first, second in combinations(systems, 2):
        pair = _bootstrap_pair(first, second, family, items, categories, resamples)
        if pair is not None:
            found += _differences_of(pair, categories, intervals)
    return corrected(found)


def corrected(found: list[Difference]) -> list[Difference]:
    """Correct each metric's differences among themselves: the metrics are views of one comparison, not new tries."""
    for metric in dict.fromkeys(row.metric for row in found):
        known = {place: row.p for place, row in enumerate(found) if row.metric == metric and row.p is not None}
        if not known:
            continue
        for place, p_holm in zip(known, holm(list(known.values())), strict=True):
            found[place] = replace(found[place], p_holm=float(p_holm))
    return found


def _bootstrap_pair(
    first: Subject, second: Subject, family: Family, items: ItemTable, categories: Taxonomy, resamples: Resamples
) -> _Pair | None:
    ours, theirs = first.parts[0].levels[family.whole.mask], second.parts[0].levels[family.whole.mask]
    rated = ((ours != MISSING) & (theirs != MISSING)).any(axis=0)
    shared = tuple(c for c in first.categories if c in second.categories and rated[c])
    cells: dict[tuple[str, str, int], Cell] = {}
    places = []
    for tag, part in family.languages.items():
        ours, theirs = first.parts[0].levels[part.mask], second.parts[0].levels[part.mask]
        truth = first.parts[0].truth[part.mask]
        both = (ours != MISSING) & (theirs != MISSING) & (truth != MISSING)
        if not shared or not all(both[:, c].any() for c in shared):
            continue
        places.append(tag)
        for c in shared:
            scale, clusters = categories.categories[c].scale, items.source_ids[part.mask]
            for side, levels in (("first", ours), ("second", theirs)):
                kept = np.where(both[:, c], levels[:, c], MISSING)
                cells[side, tag, c] = Cell.of(kept, truth[:, c], clusters, levels=scale)
    if not cells:
        return None
    return _Pair(first, second, shared, tuple(places), bootstrap(cells, METRICS, resamples=resamples))


def _differences_of(pair: _Pair, categories: Taxonomy, intervals: Intervals) -> Iterator[Difference]:
    for metric in METRICS:
        for tag in pair.places:
            yield _difference(pair, metric, [tag], pair.shared, MACRO, Slice(language=tag), intervals)
        if len(pair.places) > 1:
            yield _difference(pair, metric, pair.places, pair.shared, MACRO, Slice(), intervals)
            for c in pair.shared:
                yield _difference(pair, metric, pair.places, (c,), categories.names[c], Slice(), intervals)


def _difference(
    pair: _Pair,
    metric: str,
    places: Sequence[str],
    shared: Sequence[int],
    category: str,
    where: Slice,
    intervals: Intervals,
) -> Difference:
    def side(name: str) -> Statistic:
        rows = [
            mean_of([pair.replicates.statistic((name, place, c), metric) for c in shared], undefined="skip")
            for place in places
        ]
        return mean_of(rows, undefined="skip")

    # Percentile always: where harm is rare, BCa covers differences worse (docs/metrics.md has the figures).
    result = compare(side("first"), side("second"), method="percentile", level=intervals.confidence)
    return difference_of(
        result, metric=metric, rater=pair.first.rater, other=pair.second.rater, category=category, where=where
    )


def difference_of(found: Comparison, *, metric: str, rater: str, other: str, category: str, where: Slice) -> Difference:
    """Return a comparison as a record, its p-value not yet corrected."""
    gap = found.difference
    return Difference(
        metric=metric,
        rater=rater,
        other=other,
        category=category,
        slice=where,
        value=defined(gap.estimate),
        low=defined(gap.low),
        high=defined(gap.high),
        p=defined(found.p_value),
        p_holm=None,
        n_items=gap.n_items,
    )
