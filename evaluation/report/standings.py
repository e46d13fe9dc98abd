"""Who comes first: raters ranked by percentage agreement and by weighted kappa, on what they all cover."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.measures import MACRO, Difference, Slice
from evaluation.report.comparison import Comparison
from evaluation.report.evidence import ABSENT, AGREEMENT, KAPPA, Evidence, Figure, Subject


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
        ceiling: (percentage agreement, kappa) of people, on the same; absent where not measured.
    """

    by_agreement: tuple[Standing, ...]
    by_kappa: tuple[Standing, ...]
    ceiling: tuple[Figure, Figure]

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """One line a rater."""
        right = {standing.subject: place for place, standing in enumerate(self.by_kappa)}
        return tuple(
            Crossing(standing.subject.mark, place, right[standing.subject])
            for place, standing in enumerate(self.by_agreement)
        )


def standings(evidence: Evidence, comparison: Comparison) -> Standings:
    """Rank the raters by the means that compare them."""
    ceiling = evidence.ceiling
    return Standings(
        by_agreement=_ranked({s: comparison.overall(AGREEMENT, s) for s in evidence.systems}),
        by_kappa=_ranked({s: comparison.overall(KAPPA, s) for s in evidence.systems}),
        ceiling=(
            comparison.overall(AGREEMENT, ceiling) if ceiling else ABSENT,
            comparison.overall(KAPPA, ceiling) if ceiling else ABSENT,
        ),
    )


def settled(evidence: Evidence, metric: str, higher: Standing, lower: Standing) -> bool | None:
    """Tell whether the interval of the paired difference, else their two intervals, put one rater above the other.

    Returns:
        `None` where there is neither a difference nor two intervals.
    """
    difference = paired_difference(evidence, metric, higher.subject, lower.subject)
    if difference is not None and difference.low is not None and difference.high is not None:
        return difference.low > 0 if difference.rater == higher.subject.rater else difference.high < 0
    if higher.figure.low is None or lower.figure.high is None:
        return None
    return higher.figure.low > lower.figure.high


def paired_difference(evidence: Evidence, metric: str, one: Subject, other: Subject) -> Difference | None:
    """Return the run's difference between two raters over the whole corpus, whichever way round."""
    for difference in evidence.findings.differences:
        whole = (difference.metric, difference.category, difference.slice) == (metric, MACRO, Slice())
        if whole and {difference.rater, difference.other} == {one.rater, other.rater}:
            return difference
    return None


def _ranked(figures: dict[Subject, Figure]) -> tuple[Standing, ...]:
    defined = {s: f.value for s, f in figures.items() if f.value is not None}
    ranks = {s: 1 + sum(other > value for other in defined.values()) for s, value in defined.items()}
    ordered = sorted(figures, key=lambda s: (ranks.get(s, len(figures) + 1), s.mark))
    return tuple(Standing(s, figures[s], ranks.get(s)) for s in ordered)
