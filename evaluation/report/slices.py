"""Raters by register, role or subset: one table for each dimension in which the run cut the items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

from evaluation.measures import MACRO, Measure, Slice
from evaluation.report.evidence import ABSENT, AGREEMENT, KAPPA, Evidence, Figure, Place, Subject
from evaluation.report.languages import language_name
from evaluation.report.tables import Column, Grid, Group, Row, metric_column

DIMENSIONS = {"register": "Register", "role": "Part of the exchange", "subset": "Subset"}
_FIRST = (KAPPA, AGREEMENT, "ac2", "false_positive_rate")
_AGGREGATES = ("macro", "pooled", "cell")
_NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class SliceSection:
    """One dimension.

    Attributes:
        title: Name of the dimension for people.
        overall: Raters x values, all languages.
        by_language: Kappa of raters x languages, one column a value; `None` where it was not measured.
    """

    title: str
    overall: Grid | None
    by_language: Grid | None


def slice_sections(evidence: Evidence) -> tuple[SliceSection, ...]:
    """Build a section for every dimension with two or more values."""
    sections = [_section(evidence, dimension, title) for dimension, title in DIMENSIONS.items()]
    return tuple(section for section in sections if section is not None)


def _section(evidence: Evidence, dimension: str, title: str) -> SliceSection | None:
    shown = {(subject.rater, subject.reference) for subject in (*evidence.people, *evidence.systems)}
    cut = [
        m
        for m in evidence.findings.measures
        if _cuts_by(m.slice, dimension) and m.category == MACRO and (m.rater, m.reference) in shown
    ]
    values = sorted({getattr(m.slice, dimension) for m in cut}, key=lambda v: (v != _NEUTRAL, v))
    if len(values) < 2:
        return None
    whole = [m for m in cut if m.slice.language is None]
    overall = _overall(evidence, dimension, title, values, whole) if whole else None
    by_language = _by_language(evidence, dimension, title, values) if len(whole) < len(cut) else None
    return SliceSection(title, overall, by_language)


def _overall(evidence: Evidence, dimension: str, title: str, values: list[str], whole: list[Measure]) -> Grid:
    recalls = sorted({m.metric for m in whole if m.metric.startswith("recall_level_")})
    there = {m.metric for m in whole}
    metrics = [metric for metric in (*_FIRST, *recalls) if metric in there]

    def cells(subject: Subject, value: str) -> list[Figure]:
        return [_best(evidence, m, subject, Slice(**{dimension: value})) for m in metrics]

    groups = _groups(evidence, lambda subject: [Row(value, tuple(cells(subject, value))) for value in values])
    caption = f"Every rater by {title[0].lower()}{title[1:]}, on the categories that it covers, all languages"
    return Grid(caption, title, tuple(metric_column(metric) for metric in metrics), groups)


def _by_language(evidence: Evidence, dimension: str, title: str, values: list[str]) -> Grid:
    def rows(subject: Subject) -> list[Row]:
        built = []
        for tag in evidence.languages:
            slices = [replace(Slice(language=tag), **{dimension: value}) for value in values]
            figures = tuple(_best(evidence, KAPPA, subject, where) for where in slices)
            if any(figure.state != "absent" for figure in figures):
                built.append(Row(language_name(tag), figures))
        return built

    caption = f"Weighted kappa by language and {title[0].lower()}{title[1:]}"
    return Grid(caption, "Language", tuple(Column(value) for value in values), _groups(evidence, rows))


def _groups(evidence: Evidence, rows_of: Callable[[Subject], list[Row]]) -> tuple[Group, ...]:
    groups = []
    for subject in (*evidence.people, *evidence.systems):
        rows = rows_of(subject)
        if any(isinstance(c, Figure) and c.state != "absent" for row in rows for c in row.cells):
            groups.append(Group(subject.label, tuple(rows)))
    return tuple(groups)


def _best(evidence: Evidence, metric: str, subject: Subject, where: Slice) -> Figure:
    figures = [evidence.figure(metric, subject, MACRO, Place(where, aggregate)) for aggregate in _AGGREGATES]
    present = [figure for figure in figures if figure.state != "absent"]
    return next((figure for figure in present if figure.value is not None), next(iter(present), ABSENT))


def _cuts_by(where: Slice, dimension: str) -> bool:
    used = {entry.name for entry in fields(where) if getattr(where, entry.name) is not None}
    return dimension in used and used <= {dimension, "language"}
