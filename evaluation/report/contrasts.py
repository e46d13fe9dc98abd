"""Differences between raters on the same items, the whole corpus first."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from evaluation.measures import MACRO, Difference, Slice
from evaluation.report.evidence import UNDEFINED, Evidence, Figure
from evaluation.report.languages import language_name
from evaluation.report.metric_texts import metric_text
from evaluation.report.wording import Style, number, percent, plural


@dataclass(frozen=True, slots=True)
class Contrast:
    """One difference as a table shows it."""

    metric: str
    pair: str
    where: str
    figure: Figure
    style: Style
    p: str
    p_holm: str
    n_items: int
    outcome: str


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Differences over the whole corpus, all others, and a warning where none can be settled."""

    overall: tuple[Contrast, ...]
    detailed: tuple[Contrast, ...]
    resolution: str


def contrasts(evidence: Evidence) -> Contrasts:
    """Build the two tables."""
    overall: list[Contrast] = []
    detailed: list[Contrast] = []
    for difference in evidence.findings.differences:
        whole = difference.slice == Slice() and difference.category == MACRO
        (overall if whole else detailed).append(_contrast(evidence, difference))
    return Contrasts(tuple(overall), tuple(detailed), resolution_note(evidence))


def _contrast(evidence: Evidence, d: Difference) -> Contrast:
    text = metric_text(d.metric)
    figure = UNDEFINED if d.value is None else Figure(d.value, d.low, d.high)
    return Contrast(
        metric=text.title,
        pair=f"{d.rater} minus {d.other}",
        where=_where(evidence, d),
        figure=figure,
        style="points" if text.style == "share" else "signed",
        p="undefined" if d.p is None else number(d.p, "probability"),
        p_holm="undefined" if d.p_holm is None else number(d.p_holm, "probability"),
        n_items=d.n_items,
        outcome=_outcome(evidence, d),
    )


def _outcome(evidence: Evidence, d: Difference) -> str:
    if d.value is None:
        return "undefined"
    if d.low is None or d.high is None:
        return "no interval"
    if not excludes_zero(d):
        return "not settled"
    higher = f"{d.rater if d.value > 0 else d.other} is higher"
    return higher if survives_correction(evidence, d) else f"{higher}, but not after correction"


def excludes_zero(d: Difference) -> bool:
    """Tell whether the interval of a difference leaves zero out."""
    return d.low is not None and d.high is not None and (d.low > 0 or d.high < 0)


def survives_correction(evidence: Evidence, d: Difference) -> bool:
    """Tell whether a difference holds after Holm's correction."""
    return d.p_holm is not None and d.p_holm < 1 - evidence.confidence


def largest_family(evidence: Evidence) -> int:
    """Return how many differences are corrected together: those of one metric, at the most."""
    return max(Counter(d.metric for d in evidence.findings.differences if d.p is not None).values(), default=0)


def resolution_note(evidence: Evidence) -> str:
    """Say so where the run has too few replicates for any difference to survive the correction."""
    replicates = evidence.setting("replicates")
    tests = largest_family(evidence)
    level = 1 - evidence.confidence
    if not tests or not isinstance(replicates, int) or 2 / (replicates + 1) * tests < level:
        return ""
    return (
        f"With {replicates:,} replicates no p-value can be below {number(2 / (replicates + 1), 'probability')}. "
        f"Corrected for {plural(tests, 'difference')} in one metric, none can be below {percent(level)}, "
        "however large the gap. "
        f"It takes at least {math.ceil(2 * tests / level):,} replicates (intervals.replicates) to settle one."
    )


def _where(evidence: Evidence, d: Difference) -> str:
    parts = []
    if d.slice.language is not None:
        parts.append(language_name(d.slice.language))
    parts += [value for value in (d.slice.subset, d.slice.role, d.slice.register) if value is not None]
    if d.slice.band is not None:
        parts.append(f"{d.slice.band}-resource languages")
    if not parts:
        parts.append("all languages")
    category = "mean over categories" if d.category == MACRO else evidence.titles.get(d.category, d.category)
    return f"{', '.join(parts)}; {category}"
