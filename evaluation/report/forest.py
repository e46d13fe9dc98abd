"""Forest plots: kappa and its interval for every language, one table a rater, people's figure in the same track."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evaluation.measures import Slice
from evaluation.report.evidence import ABSENT, KAPPA, Evidence, Figure, Place, Subject, cell
from evaluation.report.languages import by_band, language_name


@dataclass(frozen=True, slots=True)
class Axis:
    """The common scale of all tracks."""

    low: float
    high: float

    def at(self, value: float) -> str:
        """Return where a value lies on the axis, in per cent of its length."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{100 * share:.2f}"

    def rest(self, value: float) -> str:
        """Return how far a value lies from the upper end, in per cent of the axis's length."""
        return f"{100 - float(self.at(value)):.2f}"

    @property
    def ticks(self) -> tuple[float, ...]:
        """The fifths between the ends."""
        first = round(self.low * 5)
        return tuple(step / 5 for step in range(first, round(self.high * 5) + 1))


@dataclass(frozen=True, slots=True)
class ForestRow:
    """One track: the rater's figure and people's on the same items and categories."""

    label: str
    figure: Figure
    human: Figure
    total: bool = False


@dataclass(frozen=True, slots=True)
class Forest:
    """One rater's tracks."""

    subject: Subject
    groups: tuple[tuple[str, tuple[ForestRow, ...]], ...]
    restricted: str


@dataclass(frozen=True, slots=True)
class Forests:
    """All raters' tracks on one axis."""

    axis: Axis
    forests: tuple[Forest, ...]
    has_intervals: bool
    has_humans: bool


def forests(evidence: Evidence) -> Forests:
    """Build every rater's forest plot."""
    built = tuple(_forest(evidence, s) for s in evidence.systems if evidence.languages_of(s))
    figures = [f for forest in built for _, rows in forest.groups for row in rows for f in (row.figure, row.human)]
    ends = [end for f in figures for end in (f.value, f.low, f.high) if end is not None]
    low = min(0.0, math.floor(5 * min(ends, default=0.0)) / 5)
    high = min(1.0, max(0.6, math.ceil(5 * max(ends, default=1.0)) / 5))
    return Forests(
        axis=Axis(max(-1.0, low), high),
        forests=built,
        has_intervals=any(f.has_interval for f in figures),
        has_humans=any(row.human.state == "ok" for forest in built for _, rows in forest.groups for row in rows),
    )


def _forest(evidence: Evidence, subject: Subject) -> Forest:
    def row(label: str, place: Place, *, total: bool = False) -> ForestRow:
        figure = evidence.mean(KAPPA, subject, subject.covers, place)
        human = evidence.mean(KAPPA, evidence.ceiling, subject.covers, place) if evidence.ceiling else ABSENT
        return ForestRow(label, figure, human, total)

    tags = evidence.languages_of(subject)
    totals = []
    if len(tags) > 1:
        named = (("All, mean", "macro"), ("All, pooled", "pooled"))
        totals = [row(label, Place(Slice(), aggregate), total=True) for label, aggregate in named]
        totals = [total for total in totals if total.figure.state != "absent"]
    groups = [("", tuple(totals))] if totals else []
    groups += [(title, tuple(row(language_name(t), cell(t)) for t in part)) for title, part in by_band(tags)]
    covered, count = len(subject.covers), len(evidence.categories)
    restricted = "" if covered == count else f"mean over the {covered} of {count} categories that it covers"
    return Forest(subject, tuple(groups), restricted)
