"""What a change of register does to a rater: decisions that flip, harm that is missed, harmless texts that are flagged.

Every figure is about pairs: a text and its twin in another register. Both sides of a difference are on the same pairs
and share the bootstrap's draws, so that the interval is that of the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.measures import Measure, Slice, defined
from evaluation.measuring.agreement import Intervals
from evaluation.measuring.flag_share import ANY
from evaluation.measuring.subject import majority_levels
from evaluation.measuring.twins import Twins, TwinTable
from evaluation.metrics.bootstrap import Bootstrap, bootstrap
from evaluation.metrics.cell import Cell
from evaluation.metrics.confusion import as_confusions, ratio
from evaluation.metrics.levels import MISSING, FloatArray
from evaluation.metrics.resampling import Resamples
from evaluation.metrics.statistic import Statistic, difference_of, mean_of
from evaluation.rating_table import RatingTable

FLIP_RATE = "flip_rate"
RECALL_CHANGE = "recall_change"
FALSE_POSITIVE_CHANGE = "false_positive_change"
CONTROL_CHANGE_RATE = "control_change_rate"

TOXICITY = "Toxicity"
_POOLED = "pooled"
_FLIPS, _CONTROL, _HARMFUL, _BENIGN, _FLAGGED = "flips", "control", "harmful", "benign", "flagged_share"

Decisions = NDArray[np.int8]
"""1 (not flagged), 2 (flagged) or `MISSING` for every item."""

_Key: TypeAlias = tuple[str, str, str]
"""Language or the pool, category, which counts."""


def register_measures(
    tables: Sequence[RatingTable],
    twins: TwinTable,
    items: ItemTable,
    categories: Taxonomy,
    resamples: Resamples,
    intervals: Intervals,
) -> Iterator[Measure]:
    """Yield the figures of every rater and register: by language, pooled, and as the mean of the languages.

    flip_rate: share of the pairs in which the decision differs. recall_change: share flagged of the harmful twins less
    that of their texts of reference. false_positive_change: the same of the harmless ones. control_change_rate: share
    of the control pairs, those whose human labels differ too, in which the decision differs; there it should.

    A decision is "Toxicity above level 1" or, as `ANY`, "some category above level 1"; where it is held against
    labels, only categories count that the rater covers and the text has labels for.
    """
    truth = majority_levels(items, categories)
    for table in tables:
        decisions = _decisions(table, truth, categories)
        for register in dict.fromkeys(one.register for one in twins.twins):
            group = [one for one in twins.twins if one.register == register]
            for reference in dict.fromkeys(one.reference for one in group):
                same = [one for one in group if one.reference == reference]
                yield from _of_register(same, table.summary.name, decisions, items, resamples, intervals)


@dataclass(frozen=True, slots=True)
class _Decision:
    """One way to decide: the rater's word as such, its word on what is labelled, and the people's."""

    flags: Decisions
    labelled_flags: Decisions
    truth: Decisions


def _decisions(table: RatingTable, truth: NDArray[np.int8], categories: Taxonomy) -> dict[str, _Decision]:
    covered = [categories.names.index(name) for name in table.summary.covers]
    known = np.where(truth[:, covered] == MISSING, MISSING, table.levels[:, covered])
    found = {ANY: _Decision(_flagged(table.levels[:, covered]), _flagged(known), _flagged(truth[:, covered]))}
    if TOXICITY in table.summary.covers:
        column = [table.summary.covers.index(TOXICITY)]
        levels = table.levels[:, covered][:, column]
        found[TOXICITY] = _Decision(
            _flagged(levels), _flagged(known[:, column]), _flagged(truth[:, covered][:, column])
        )
    return found


def _flagged(levels: NDArray[np.int8]) -> Decisions:
    """Return the decision by the highest of several categories' levels."""
    highest = levels.max(axis=1, initial=MISSING)
    return np.where(highest == MISSING, MISSING, np.where(highest > 1, 2, 1)).astype(np.int8)


def _of_register(
    group: Sequence[Twins],
    rater: str,
    decisions: Mapping[str, _Decision],
    items: ItemTable,
    resamples: Resamples,
    intervals: Intervals,
) -> Iterator[Measure]:
    places = {one.language: one for one in group}
    if len(group) > 1:
        base, twin = (np.concatenate([getattr(one, side) for one in group]) for side in ("base", "twin"))
        places[_POOLED] = Twins(group[0].register, "", group[0].reference, base, twin)
    cells = {
        (place, category, counts): cell
        for place, pairs in places.items()
        for category, decision in decisions.items()
        for counts, cell in _cells(pairs, decision, items).items()
    }
    found = bootstrap(cells, {FLIP_RATE: _flip_rate, _FLAGGED: _flagged_share}, resamples=resamples)
    figures = _Figures(found, rater, group[0].register, group[0].reference, intervals)
    for category in decisions:
        for metric in (FLIP_RATE, RECALL_CHANGE, FALSE_POSITIVE_CHANGE, CONTROL_CHANGE_RATE):
            yield from figures.measures(metric, category, [one.language for one in group])


def _cells(pairs: Twins, decision: _Decision, items: ItemTable) -> dict[str, Cell]:
    """Count the pairs: rows are the text of reference, columns the twin; or rows the truth, columns one side."""
    clusters = items.source_ids[pairs.twin]
    before, after = decision.flags[pairs.base], decision.flags[pairs.twin]
    known_before, known_after = decision.labelled_flags[pairs.base], decision.labelled_flags[pairs.twin]
    truth_before, truth_after = decision.truth[pairs.base], decision.truth[pairs.twin]
    both = (known_before != MISSING) & (known_after != MISSING)
    control = both & (truth_before != truth_after)
    cells = {
        _FLIPS: Cell.of(np.where(control, MISSING, after), before, clusters, levels=2),
        _CONTROL: Cell.of(np.where(control, after, MISSING), before, clusters, levels=2),
    }
    for name, level in ((_HARMFUL, 2), (_BENIGN, 1)):
        kept = np.where(both & ~control & (truth_before == level), level, MISSING)
        cells[f"{name}-before"] = Cell.of(known_before, kept, clusters, levels=2)
        cells[f"{name}-after"] = Cell.of(known_after, kept, clusters, levels=2)
    return cells


def _flip_rate(confusions: npt.ArrayLike) -> FloatArray:
    """Return the share off the diagonal: (b + c) / n."""
    c = as_confusions(confusions)
    total = c.sum(axis=(-2, -1))
    return ratio(total - c[..., 0, 0] - c[..., 1, 1], total)


def _flagged_share(confusions: npt.ArrayLike) -> FloatArray:
    """Return the share of the pairs that the rater flags, whatever the truth."""
    c = as_confusions(confusions)
    return ratio(c[..., :, 1].sum(axis=-1), c.sum(axis=(-2, -1)))


@dataclass(frozen=True, slots=True)
class _Figures:
    """The replicates of one rater on one register, and how they become measures."""

    replicates: Bootstrap[_Key]
    rater: str
    register: str
    reference: str
    intervals: Intervals

    def measures(self, metric: str, category: str, tags: Sequence[str]) -> Iterator[Measure]:
        """Yield the figure for each language, the pool and the mean, where there is a pair to count."""
        of_tags = [self._statistic(metric, category, tag) for tag in tags]
        rows = [(tag, "cell", one) for tag, one in zip(tags, of_tags, strict=True) if one.n_items]
        for tag, aggregate, one in rows:
            yield self._measure(metric, category, tag, aggregate, one, one.n_items, one.n_clusters)
        if len(rows) < 2:
            return
        pool = self._statistic(metric, category, _POOLED)
        yield self._measure(metric, category, None, _POOLED, pool, pool.n_items, pool.n_clusters)
        statistics = [one for _, _, one in rows]
        n_items, n_clusters = sum(one.n_items for one in statistics), sum(one.n_clusters for one in statistics)
        mean = mean_of(statistics, undefined="skip")
        yield self._measure(metric, category, None, "macro", mean, n_items, n_clusters)

    def _statistic(self, metric: str, category: str, place: str) -> Statistic:
        if metric in {FLIP_RATE, CONTROL_CHANGE_RATE}:
            counts = _FLIPS if metric == FLIP_RATE else _CONTROL
            return self.replicates.statistic((place, category, counts), FLIP_RATE)
        name = _HARMFUL if metric == RECALL_CHANGE else _BENIGN
        after, before = (
            self.replicates.statistic((place, category, f"{name}-{side}"), _FLAGGED) for side in ("after", "before")
        )
        return difference_of(after, before)

    def _measure(
        self,
        metric: str,
        category: str,
        tag: str | None,
        aggregate: str,
        found: Statistic,
        n_items: int,
        n_clusters: int,
    ) -> Measure:
        # Percentile for differences, as elsewhere: where harm is rare, BCa covers them worse (docs/metrics.md).
        method = self.intervals.method if metric in {FLIP_RATE, CONTROL_CHANGE_RATE} else "percentile"
        interval = found.interval(method=method, level=self.intervals.confidence)
        return Measure(
            metric=metric,
            rater=self.rater,
            reference=f"{self.reference}-twin",
            category=category,
            slice=Slice(language=tag, register=self.register),
            aggregate=aggregate,
            value=defined(interval.estimate),
            low=defined(interval.low),
            high=defined(interval.high),
            n_items=n_items,
            n_clusters=n_clusters,
            n_undefined=interval.n_undefined,
        )


def register_notes(twins: TwinTable) -> list[str]:
    """Return what a reader must know of items that could not be paired."""
    if not twins.twins or not twins.alone:
        return []
    listed = ", ".join(f"{count:,} {register}" for register, count in sorted(twins.alone.items()))
    return [f"Items without a text of reference in their language are in no figure of register shift: {listed}."]
