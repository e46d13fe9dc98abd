"""How well people agree with one another, by category and by language."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluation.measures import MACRO
from evaluation.report.evidence import AGREEMENT, KAPPA, Evidence, Figure, Place, Subject, cell
from evaluation.report.languages import by_band, language_name
from evaluation.report.tables import Column, Grid, Group, Row, metric_column

_ANNOTATOR = re.compile(r"human-\d+")
_TOGETHER = ("alpha_ordinal", "ac2", "fleiss_kappa")


@dataclass(frozen=True, slots=True)
class Reliability:
    """The two tables; `by_language` is `None` where there is one language."""

    by_category: Grid
    by_language: Grid | None


@dataclass(frozen=True, slots=True)
class _Source:
    """A column: which metric of which comparison of people."""

    column: Column
    metric: str
    subject: Subject


def reliability(evidence: Evidence) -> Reliability | None:
    """Build the tables; `None` where people were not compared."""
    sources = [source for source in _sources(evidence) if _occurs(evidence, source)]
    if not sources:
        return None
    columns = tuple(source.column for source in sources)

    def row(label: str, category: str, place: Place) -> Row:
        return Row(label, tuple(_look_up(evidence, source, category, place) for source in sources))

    places = [row(c.title, c.name, evidence.home) for c in evidence.categories]
    groups = (Group("", tuple(places)), Group("", (row("Mean over the categories", MACRO, evidence.home),)))
    by_category = Grid("Agreement among annotators, by category", "Category", columns, groups)
    by_language = None
    if len(evidence.languages) > 1:
        bands = by_band(evidence.languages)
        parts = tuple(Group(t, tuple(row(language_name(g), MACRO, cell(g)) for g in tags)) for t, tags in bands)
        by_language = Grid("Agreement among annotators, by language", "Language", columns, parts)
    return Reliability(by_category, by_language)


def _sources(evidence: Evidence) -> list[_Source]:
    names = tuple(category.name for category in evidence.categories)
    found = {
        (m.reference, m.rater)
        for m in evidence.findings.measures
        if m.metric == KAPPA and _ANNOTATOR.fullmatch(m.rater) and _ANNOTATOR.fullmatch(m.reference)
    }
    sources = []
    for pair in sorted(found):
        title = " and ".join(sorted(name.removeprefix("human-") for name in pair))
        sources.append(_Source(Column(f"Kappa, {title}"), KAPPA, Subject(pair[1], pair[0], title, names)))
    if evidence.pairs:
        sources.append(_Source(Column("Agreement, mean pair", "share"), AGREEMENT, evidence.pairs))
        sources.append(_Source(Column("Kappa, mean pair"), KAPPA, evidence.pairs))
    if evidence.ceiling:
        sources.append(_Source(Column("Kappa, one against the others"), KAPPA, evidence.ceiling))
    together = Subject("humans", "humans", "All annotators", names)
    return sources + [_Source(metric_column(metric), metric, together) for metric in _TOGETHER]


def _look_up(evidence: Evidence, source: _Source, category: str, place: Place) -> Figure:
    return evidence.figure(source.metric, source.subject, category, place)


def _occurs(evidence: Evidence, source: _Source) -> bool:
    asked = (source.metric, source.subject.rater, source.subject.reference)
    return any((m.metric, m.rater, m.reference) == asked for m in evidence.findings.measures)
