"""Figures on shared ground: means over the same cells, a cell being one category in one language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.comparing.ground import SharedGround
from evaluation.comparing.stored_run import StoredRun
from evaluation.measures import MACRO, Measure, Slice, defined
from evaluation.measuring.agreement import ACROSS, CELL, Intervals
from evaluation.metrics.bootstrap import bootstrap
from evaluation.metrics.cell import Cell
from evaluation.metrics.resampling import Resamples
from evaluation.metrics.statistic import Statistic, mean_of

Place = tuple[str, int]
"""Language and category."""


@dataclass(frozen=True, slots=True, eq=False)
class MetricFigures:
    """One metric of every rater on one ground.

    Attributes:
        metric: Its name.
        cells: Rater -> its figure in each cell that counts: those in which the metric is defined for everybody.
        undefined: The other cells, with the raters that have no figure there.
    """

    metric: str
    cells: Mapping[str, Mapping[Place, Statistic]]
    undefined: Mapping[Place, tuple[str, ...]]

    @property
    def places(self) -> tuple[Place, ...]:
        """The cells that count."""
        return tuple(next(iter(self.cells.values())))

    def category(self, rater: str, category: int) -> Statistic | None:
        """Return the mean over the languages in which the category counts."""
        return self._mean(rater, [place for place in self.places if place[1] == category])

    def language(self, rater: str, tag: str) -> Statistic | None:
        """Return the mean over the categories that count in the language."""
        return self._mean(rater, [place for place in self.places if place[0] == tag])

    def overall(self, rater: str) -> Statistic | None:
        """Return the mean of the categories' means: every category counts the same, in however many languages."""
        means = [self.category(rater, category) for category in sorted({category for _, category in self.places})]
        found = [mean for mean in means if mean is not None]
        return mean_of(found, undefined="skip") if found else None

    def _mean(self, rater: str, places: Sequence[Place]) -> Statistic | None:
        return mean_of([self.cells[rater][place] for place in places], undefined="skip") if places else None


def figures_on(
    ground: SharedGround, run: StoredRun, metrics: Sequence[str], resamples: Resamples
) -> dict[str, MetricFigures]:
    """Return every metric on the ground, by name."""
    cells = {}
    for tag in ground.languages:
        rows = run.items.languages == tag
        clusters = run.items.source_ids[rows]
        for category in ground.categories:
            if not ground.kept[rows, category].any():
                continue
            scale = run.categories.categories[category].scale
            for subject in ground.subjects:
                for part, pairing in enumerate(subject.parts):
                    levels, truth = pairing.levels[rows, category], pairing.truth[rows, category]
                    cells[subject.rater, part, tag, category] = Cell.of(levels, truth, clusters, levels=scale)
    replicates = bootstrap(cells, metrics, resamples=resamples)
    parts_of = {subject.rater: len(subject.parts) for subject in ground.subjects}
    places = list(dict.fromkeys((tag, category) for _, _, tag, category in cells))

    def figure(metric: str, rater: str, place: Place) -> Statistic:
        parts = [replicates.statistic((rater, part, *place), metric) for part in range(parts_of[rater])]
        return parts[0] if len(parts) == 1 else mean_of(parts, undefined="skip")

    found = {}
    for metric in metrics:
        known = {rater: {place: figure(metric, rater, place) for place in places} for rater in parts_of}
        lacking = {place: tuple(rater for rater in known if np.isnan(known[rater][place].estimate)) for place in places}
        found[metric] = MetricFigures(
            metric,
            {rater: {place: row[place] for place in places if not lacking[place]} for rater, row in known.items()},
            {place: raters for place, raters in lacking.items() if raters},
        )
    return found


def measures_of(
    figures: MetricFigures, ground: SharedGround, names: Sequence[str], intervals: Intervals
) -> Iterator[Measure]:
    """Yield every rater's overall mean, its categories, its languages and its cells, as flat records."""
    for subject in ground.subjects:
        rater, reference = subject.rater, subject.reference
        rows: list[tuple[Statistic | None, str, Slice, str, list[Place]]]
        rows = [(figures.overall(rater), MACRO, Slice(), ACROSS, list(figures.places))]
        for c in ground.categories:
            inside = [place for place in figures.places if place[1] == c]
            rows.append((figures.category(rater, c), names[c], Slice(), ACROSS, inside))
        for tag in ground.languages:
            inside = [place for place in figures.places if place[0] == tag]
            rows.append((figures.language(rater, tag), MACRO, Slice(language=tag), CELL, inside))
            rows += [
                (figures.cells[rater][place], names[place[1]], Slice(language=tag), CELL, [place]) for place in inside
            ]
        for statistic, category, where, aggregate, places in rows:
            if statistic is None:
                continue
            found = statistic.interval(method=intervals.method, level=intervals.confidence)
            n_items, n_clusters = _counts([(place[0], figures.cells[rater][place]) for place in places])
            yield Measure(
                metric=figures.metric,
                rater=rater,
                reference=reference,
                category=category,
                slice=where,
                aggregate=aggregate,
                value=defined(found.estimate),
                low=defined(found.low),
                high=defined(found.high),
                n_items=n_items,
                n_clusters=n_clusters,
                n_undefined=found.n_undefined,
            )


def _counts(cells: Sequence[tuple[str, Statistic]]) -> tuple[int, int]:
    """Return texts and source_ids: of a language its best covered category's, summed over languages."""
    items: dict[str, int] = {}
    clusters: dict[str, int] = {}
    for tag, cell in cells:
        items[tag] = max(items.get(tag, 0), cell.n_items)
        clusters[tag] = max(clusters.get(tag, 0), cell.n_clusters)
    return sum(items.values()), sum(clusters.values())
