"""Differences between raters on the same items, the whole corpus first."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.measures import MACRO, Difference, Slice
from evaluation.report.evidence import UNDEFINED, Evidence, Figure
from evaluation.report.languages import language_name
from evaluation.report.metric_texts import metric_text
from evaluation.report.wording import Style, number


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
    """Differences over the whole corpus, and all others."""

    overall: tuple[Contrast, ...]
    detailed: tuple[Contrast, ...]


def contrasts(evidence: Evidence) -> Contrasts:
    """Build the two tables."""
    overall: list[Contrast] = []
    detailed: list[Contrast] = []
    for difference in evidence.findings.differences:
        whole = difference.slice == Slice() and difference.category == MACRO
        (overall if whole else detailed).append(_contrast(evidence, difference))
    return Contrasts(tuple(overall), tuple(detailed))


def _contrast(evidence: Evidence, d: Difference) -> Contrast:
    text = metric_text(d.metric)
    figure = UNDEFINED if d.value is None else Figure(d.value, d.low, d.high)
    return Contrast(
        metric=text.title,
        pair=f"{d.rater} minus {d.other}",
        where=_where(evidence, d),
        figure=figure,
        style="share" if text.style == "share" else "signed",
        p="undefined" if d.p is None else number(d.p, "probability"),
        p_holm="undefined" if d.p_holm is None else number(d.p_holm, "probability"),
        n_items=d.n_items,
        outcome=_outcome(evidence, d),
    )


def _outcome(evidence: Evidence, d: Difference) -> str:
    if d.value is None:
        return "undefined"
    settled = None if d.low is None or d.high is None else d.low > 0 or d.high < 0
    if d.p_holm is not None:
        settled = d.p_holm < 1 - evidence.confidence and settled is not False
    if settled is None:
        return "no interval"
    if not settled:
        return "not settled"
    return f"{d.rater if d.value > 0 else d.other} is higher"


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
