"""Agreement figures with their intervals, for every subject on every part of the corpus.

Each subject, category and language is one table of counts by source_id; means over categories and languages are
taken replicate by replicate, so that their intervals know that an item's languages belong together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.measures import MACRO, MACRO_COMMON, Measure, Slice, defined
from evaluation.measuring.common_ground import CommonGround
from evaluation.measuring.slices import Family, Part
from evaluation.measuring.subject import HUMANS, MAJORITY, OTHER_HUMANS, Pairing, Subject
from evaluation.metrics.bootstrap import Bootstrap, bootstrap
from evaluation.metrics.cell import Cell
from evaluation.metrics.interval import Method
from evaluation.metrics.resampling import Resamples
from evaluation.metrics.statistic import Statistic, mean_of

HEADLINE = ("percentage_agreement", "linear_kappa", "ac2")
FULL = (*HEADLINE, "kappa", "quadratic_kappa", "ac1", "signed_error", "macro_f1", "false_positive_rate")

Key: TypeAlias = tuple[int, str, int]
"""Pairing (by identity), language or name of a pool, category."""

CELL, POOLED, ACROSS = "cell", "pooled", "macro"


@dataclass(frozen=True, slots=True)
class Intervals:
    """How intervals are made."""

    replicates: int
    confidence: float
    method: Method
    seed: int


def draw_resamples(items: ItemTable, intervals: Intervals) -> Resamples:
    """Prepare the draws of source_ids that all figures of the run share.

    Contents that stand in several languages are one stratum, those of one language alone another each, so that a
    replicate keeps the number of texts that every language has.
    """
    languages_of: dict[str, set[str]] = {}
    for key, tag in zip(items.source_ids.tolist(), items.languages.tolist(), strict=True):
        languages_of.setdefault(key, set()).add(tag)
    strata = [
        next(iter(tags)) if len(tags := languages_of[key]) == 1 else "several" for key in items.source_ids.tolist()
    ]
    return Resamples.draw(
        items.source_ids, n_resamples=intervals.replicates, rng=intervals.seed, strata=np.array(strata)
    )


def measure_family(
    subjects: Sequence[Subject],
    family: Family,
    common: CommonGround,
    items: ItemTable,
    categories: Taxonomy,
    resamples: Resamples,
    intervals: Intervals,
) -> Iterator[Measure]:
    """Yield every bootstrapped measure of a family, metric by metric.

    Cells of one language come first, then the pools (all languages, each band) and the means over languages. The
    families of subsets, roles and registers get the headline metrics and no single pairs of people, and single pairs
    get the headline metrics alone.
    """
    for group in _groups([subject for subject in subjects if family.main or not subject.detail]):
        metrics = FULL if family.main and not group[0].brief else HEADLINE
        cells = _cells(group, family, items, categories)
        replicates = bootstrap(cells, metrics, resamples=resamples)
        for metric in metrics:
            wanted = [subject for subject in group if metric in HEADLINE or not subject.detail]
            shared: dict[Key, Statistic] = {}
            for subject in wanted:
                figures = _Figures(replicates, metric, subject, categories, intervals, shared)
                yield from _measures_of(figures, family, common)


def _groups(subjects: Sequence[Subject]) -> list[list[Subject]]:
    """Group subjects that share pairings: one group's replicates are in memory at a time."""
    groups: dict[tuple[bool, str], list[Subject]] = {}
    for subject in subjects:
        known = subject.reference if subject.reference in {MAJORITY, OTHER_HUMANS} else HUMANS
        groups.setdefault((subject.brief, known), []).append(subject)
    return list(groups.values())


def _cells(subjects: Sequence[Subject], family: Family, items: ItemTable, categories: Taxonomy) -> Mapping[Key, Cell]:
    cells: dict[Key, Cell] = {}
    parts = dict(family.languages)
    if len(parts) > 1:
        parts[POOLED] = family.whole
        parts.update({f"{POOLED}-{part.slice.band}": part for part, _ in family.bands})
    for place, part in parts.items():
        clusters = items.source_ids[part.mask]
        for subject in subjects:
            for pairing in subject.parts:
                for category in subject.categories:
                    key = id(pairing), place, category
                    if key not in cells:
                        cells[key] = _cell(pairing, part, category, clusters, categories.categories[category].scale)
    return cells


def _cell(pairing: Pairing, part: Part, category: int, clusters: np.ndarray, scale: int) -> Cell:
    return Cell.of(pairing.levels[part.mask, category], pairing.truth[part.mask, category], clusters, levels=scale)


@dataclass(frozen=True, slots=True)
class _Figures:
    """The replicates of one metric for one subject, and how they become measures."""

    replicates: Bootstrap[Key]
    metric: str
    subject: Subject
    categories: Taxonomy
    intervals: Intervals
    shared: dict[Key, Statistic]
    known: dict[tuple[str, int], Statistic] = field(default_factory=dict)

    def at(self, place: str, category: int) -> Statistic:
        if (place, category) not in self.known:
            parts = [self._part(pairing, place, category) for pairing in self.subject.parts]
            self.known[place, category] = parts[0] if len(parts) == 1 else mean_of(parts, undefined="skip")
        return self.known[place, category]

    def _part(self, pairing: Pairing, place: str, category: int) -> Statistic:
        key = id(pairing), place, category
        if key not in self.shared:
            self.shared[key] = self.replicates.statistic(key, self.metric)
        return self.shared[key]

    def mean(self, places: Sequence[str], categories: Sequence[int]) -> Statistic | None:
        """Return the mean over places of the means over categories, leaving out what is undefined."""
        chosen = [c for c in categories if c in self.subject.categories]
        if not places or not chosen:
            return None
        rows = [mean_of([self.at(place, c) for c in chosen], undefined="skip") for place in places]
        return rows[0] if len(rows) == 1 else mean_of(rows, undefined="skip")

    def count(self, places: Sequence[str], categories: Sequence[int]) -> tuple[int, int]:
        """Return items and source_ids of the best covered category, summed over places."""
        totals = [0, 0]
        for place in places:
            found = [self.at(place, c) for c in categories if c in self.subject.categories]
            totals[0] += max((statistic.n_items for statistic in found), default=0)
            totals[1] += max((statistic.n_clusters for statistic in found), default=0)
        return totals[0], totals[1]

    def measure(
        self, places: Sequence[str], categories: Sequence[int], name: str, where: Slice, aggregate: str
    ) -> Measure | None:
        statistic = self.mean(places, categories)
        if statistic is None:
            return None
        found = statistic.interval(method=self.intervals.method, level=self.intervals.confidence)
        n_items, n_clusters = self.count(places, categories)
        return Measure(
            metric=self.metric,
            rater=self.subject.rater,
            reference=self.subject.reference,
            category=name,
            slice=where,
            aggregate=aggregate,
            value=defined(found.estimate),
            low=defined(found.low),
            high=defined(found.high),
            n_items=n_items,
            n_clusters=n_clusters,
            n_undefined=found.n_undefined,
        )


def _measures_of(figures: _Figures, family: Family, common: CommonGround) -> Iterator[Measure]:
    tags = tuple(family.languages)
    for tag, part in family.languages.items():
        shared = common.categories if common.partial and tag in common.languages else ()
        yield from _row(figures, [tag], part.slice, CELL, shared)
    if len(tags) < 2:
        return
    pools = [(POOLED, family.whole.slice, tags)]
    pools += [(f"{POOLED}-{part.slice.band}", part.slice, inside) for part, inside in family.bands]
    for place, where, inside in pools:
        yield from _row(figures, [place], where, POOLED, ())
        yield from _row(figures, inside, where, ACROSS, ())
        if common.partial:
            comparable = [tag for tag in inside if tag in common.languages]
            found = figures.measure(comparable, common.categories, MACRO_COMMON, where, ACROSS)
            if found is not None:
                yield found


def _row(
    figures: _Figures, places: Sequence[str], where: Slice, aggregate: str, shared: Sequence[int]
) -> Iterator[Measure]:
    """Yield a line of a table: each category, their mean and, where asked for, the mean of the shared ones."""
    rows: list[tuple[str, tuple[int, ...]]]
    rows = [(figures.categories.names[category], (category,)) for category in figures.subject.categories]
    rows += [(MACRO, figures.subject.categories), (MACRO_COMMON, tuple(shared))]
    for name, chosen in rows:
        found = figures.measure(places, chosen, name, where, aggregate)
        if found is not None:
            yield found
