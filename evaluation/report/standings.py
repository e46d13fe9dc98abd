"""Who comes first: raters ranked by percentage agreement and by weighted kappa, on the same ground."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.measures import MACRO, Slice
from evaluation.report.evidence import ABSENT, AGREEMENT, KAPPA, Evidence, Figure, Subject
from evaluation.report.ground import CommonGround


@dataclass(frozen=True, slots=True)
class Standing:
    """One rater's figure and its rank; the rank is `None` where the figure is undefined."""

    subject: Subject
    figure: Figure
    rank: int | None


@dataclass(frozen=True, slots=True)
class Crossing:
    """A rater's place in the two lists, for the line between them."""

    mark: int
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Standings:
    """The two rankings side by side.

    Attributes:
        by_agreement: Raters, the highest percentage agreement first.
        by_kappa: Raters, the highest weighted kappa first.
        ceiling: (percentage agreement, kappa) of people, on the same ground; absent where not measured.
        measured: The figures are the run's own means and may have intervals, not means of the report.
    """

    by_agreement: tuple[Standing, ...]
    by_kappa: tuple[Standing, ...]
    ceiling: tuple[Figure, Figure]
    measured: bool

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """One line a rater."""
        right = {standing.subject: place for place, standing in enumerate(self.by_kappa)}
        return tuple(
            Crossing(standing.subject.mark, place, right[standing.subject])
            for place, standing in enumerate(self.by_agreement)
        )


def standings(evidence: Evidence, ground: CommonGround) -> Standings:
    """Rank the raters: by measured means where they compare, else by means over the common ground."""

    def figure(metric: str, subject: Subject) -> Figure:
        if ground.same_coverage:
            return evidence.mean(metric, subject, subject.covers, evidence.home)
        return ground.mean(metric, subject)

    def people(metric: str) -> Figure:
        if evidence.ceiling is None:
            return ABSENT
        if ground.same_coverage and evidence.systems:
            return evidence.mean(metric, evidence.ceiling, evidence.systems[0].covers, evidence.home)
        return figure(metric, evidence.ceiling)

    return Standings(
        by_agreement=_ranked({s: figure(AGREEMENT, s) for s in evidence.systems}),
        by_kappa=_ranked({s: figure(KAPPA, s) for s in evidence.systems}),
        ceiling=(people(AGREEMENT), people(KAPPA)),
        measured=ground.same_coverage,
    )


def settled(evidence: Evidence, metric: str, higher: Standing, lower: Standing) -> bool | None:
    """Tell whether the data put one rater above the other, by the paired difference or else by their intervals.

    Returns:
        `None` where there is neither a difference nor two intervals.
    """
    for difference in evidence.findings.differences:
        if (difference.metric, difference.category, difference.slice) != (metric, MACRO, Slice()):
            continue
        names = (higher.subject.rater, lower.subject.rater)
        if {difference.rater, difference.other} != set(names) or difference.low is None or difference.high is None:
            continue
        ahead = difference.low > 0 if difference.rater == names[0] else difference.high < 0
        return ahead and (difference.p_holm is None or difference.p_holm < 1 - evidence.confidence)
    if higher.figure.low is None or lower.figure.high is None:
        return None
    return higher.figure.low > lower.figure.high


def _ranked(figures: dict[Subject, Figure]) -> tuple[Standing, ...]:
    defined = {s: f.value for s, f in figures.items() if f.value is not None}
    ranks = {s: 1 + sum(other > value for other in defined.values()) for s, value in defined.items()}
    ordered = sorted(figures, key=lambda s: (ranks.get(s, len(figures) + 1), s.mark))
    return tuple(Standing(s, figures[s], ranks.get(s)) for s in ordered)
