"""How well people agree with one another, by category and by language."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluation.measures import MACRO, Slice
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
    home: Place

    def at(self, evidence: Evidence, category: str, place: Place) -> Figure:
        if category == MACRO:
            return evidence.mean(self.metric, self.subject, self.subject.covers, place)
        return evidence.figure(self.metric, self.subject, category, place)


def reliability(evidence: Evidence) -> Reliability | None:
    """Build the tables; `None` where people were not compared."""
    sources = [s for s in _sources(evidence) if evidence.has(s.metric, s.subject.rater, s.subject.reference)]
    if not sources:
        return None
    columns = tuple(source.column for source in sources)

    def row(label: str, category: str, place: Place | None = None) -> Row:
        return Row(label, tuple(source.at(evidence, category, place or source.home) for source in sources))

    groups = (
        Group("", tuple(row(c.title, c.name) for c in evidence.categories)),
        Group("", (row("Mean over the categories", MACRO),)),
    )
    by_category = Grid("Agreement among annotators, by category", "Category", columns, groups)
    by_language = None
    if len(evidence.languages) > 1:
        bands = by_band(evidence.languages)
        parts = tuple(Group(t, tuple(row(language_name(g), MACRO, cell(g)) for g in tags)) for t, tags in bands)
        by_language = Grid("Agreement among annotators, by language", "Language", columns, parts)
    return Reliability(by_category, by_language)


def _sources(evidence: Evidence) -> list[_Source]:
    names, home = tuple(category.name for category in evidence.categories), evidence.home
    found = {
        (m.reference, m.rater)
        for m in evidence.findings.measures
        if m.metric == KAPPA and _ANNOTATOR.fullmatch(m.rater) and _ANNOTATOR.fullmatch(m.reference)
    }
    sources = []
    for pair in sorted(found):
        title = "\u00a0and\u00a0".join(sorted(name.removeprefix("human-") for name in pair))
        sources.append(_Source(Column(f"Kappa, {title}"), KAPPA, Subject(pair[1], pair[0], title, names), home))
    if evidence.pairs:
        sources.append(_Source(Column("Agreement, mean pair", "share"), AGREEMENT, evidence.pairs, home))
        sources.append(_Source(Column("Kappa, mean pair"), KAPPA, evidence.pairs, home))
    if evidence.left_out:
        sources.append(_Source(Column("Kappa, one against the others"), KAPPA, evidence.left_out, home))
    together = Subject("humans", "humans", "All annotators", names)
    pooled = Place(Slice(), "pooled") if len(evidence.languages) > 1 else home
    return sources + [_Source(metric_column(metric), metric, together, pooled) for metric in _TOGETHER]
