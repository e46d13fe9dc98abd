"""The summary tables: every rater on what it covers, and all raters on what they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.report.comparison import Comparison
from evaluation.report.coverage import levels_given
from evaluation.report.evidence import AGREEMENT, KAPPA, Evidence, Figure, Subject
from evaluation.report.tables import Column, Grid, Group, Row, metric_column, subject_row
from evaluation.report.wording import listed, plural

METRICS = (AGREEMENT, KAPPA, "ac2", "signed_error", "macro_f1")
_PLACES = {
    "macro": "the unweighted mean over the languages",
    "pooled": "all languages pooled in one table",
    "cell": "one language",
}
_LEVELS = Column("Levels given", "share")


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary section.

    Attributes:
        measured: Every rater on the categories that it covers.
        shared: All raters on the same categories and languages; `None` where the first table compares already.
        remark: How far the two tables can be compared.
    """

    measured: Grid
    shared: Grid | None
    remark: str


def summary(evidence: Evidence, comparison: Comparison) -> Summary:
    """Build the summary tables."""
    several = len(evidence.systems) > 1
    if not comparison.partial or not evidence.systems:
        return Summary(_measured(evidence), None, "")
    start = "These raters do not all cover the same, so the rows above do not compare. " if several else ""
    if comparison.mean is None:
        remark = f"{start}They share no category in any language, so nothing compares them."
        return Summary(_measured(evidence), None, remark)
    titles = listed(evidence.titles[name] for name in comparison.categories)
    remark = (
        f"{start}The rows below do: every figure is a mean over the same "
        f"{plural(len(comparison.languages), 'language')} "
        f"and {plural(len(comparison.categories), 'category', 'categories')} ({titles}), for people too."
    )
    return Summary(_measured(evidence), _shared(evidence, comparison), remark)


def _measured(evidence: Evidence) -> Grid:
    total = len(evidence.categories)

    def row(subject: Subject) -> Row:
        figures: list[Figure | str] = [evidence.mean(m, subject, subject.covers, evidence.home) for m in METRICS]
        names = evidence.humans if subject.human else (subject.rater,)
        share = levels_given(evidence.findings.statuses, names)
        return subject_row(subject, [f"{len(subject.covers)} of {total}", *figures, share])

    columns = (Column("Categories", "words"), *(metric_column(m) for m in METRICS), _LEVELS)
    where = _PLACES.get(evidence.home.aggregate, evidence.home.aggregate)
    caption = f"Every rater on the categories that it covers: mean over these categories, {where}"
    return Grid(caption, "Rater", columns, _groups(evidence, row))


def _shared(evidence: Evidence, comparison: Comparison) -> Grid:
    def row(subject: Subject) -> Row:
        return subject_row(subject, [comparison.overall(metric, subject) for metric in METRICS])

    caption = "All raters on the same categories and languages (macro-common)"
    return Grid(caption, "Rater", tuple(metric_column(m) for m in METRICS), _groups(evidence, row))


def like_people(evidence: Evidence, comparison: Comparison) -> Grid | None:
    """Return raters and people measured in one way, against the other annotators; `None` where this was not done."""
    twins = [twin for subject in evidence.systems if (twin := evidence.like_a_person(subject)) is not None]
    if evidence.left_out is None or not twins:
        return None
    metrics = (AGREEMENT, KAPPA, "ac2")
    subjects = (evidence.left_out, *twins)
    rows = tuple(subject_row(s, [comparison.overall(metric, s) for metric in metrics]) for s in subjects)
    caption = "Raters in the place of a person: each against what the other annotators say"
    return Grid(caption, "Rater", tuple(metric_column(m) for m in metrics), (Group("", rows),))


def _groups(evidence: Evidence, row: Callable[[Subject], Row]) -> tuple[Group, ...]:
    parts = (("People", evidence.people), ("Raters", evidence.systems))
    return tuple(Group(title, tuple(row(s) for s in subjects)) for title, subjects in parts if subjects)
