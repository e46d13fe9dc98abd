"""The summary tables: every rater on what it covers, and all raters on what they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.report.coverage import levels_given
from evaluation.report.evidence import AGREEMENT, KAPPA, Evidence, Figure, Subject
from evaluation.report.ground import CommonGround
from evaluation.report.tables import Column, Grid, Group, Row, metric_column, subject_row
from evaluation.report.wording import listed, plural

METRICS = (AGREEMENT, KAPPA, "ac2", "signed_error", "macro_f1")
_PLACES = {
    "macro": "the unweighted mean over the languages",
    "pooled": "all languages pooled in one table",
    "cell": "one language",
}


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary section.

    Attributes:
        measured: Every rater on the categories that it covers, with intervals where there are any.
        shared: All raters on the same cells; `None` where the first table compares already.
        remark: How far the two tables can be compared.
    """

    measured: Grid
    shared: Grid | None
    remark: str


def summary(evidence: Evidence, ground: CommonGround) -> Summary:
    """Build the summary tables."""
    needed = not ground.same_coverage
    shared = _shared(evidence, ground) if needed and ground.cells else None
    return Summary(_measured(evidence), shared, _remark(ground) if needed else "")


def _measured(evidence: Evidence) -> Grid:
    total = len(evidence.categories)

    def row(subject: Subject) -> Row:
        figures: list[Figure | str] = [
            evidence.mean(metric, subject, subject.covers, evidence.home) for metric in METRICS
        ]
        names = evidence.humans if subject.human else (subject.rater,)
        share = levels_given(evidence.findings.statuses, names)
        return subject_row(subject, [f"{len(subject.covers)} of {total}", *figures, share])

    columns = (Column("Categories", "words"), *(metric_column(m) for m in METRICS), Column("Levels given", "share"))
    caption = (
        f"Every rater on the categories that it covers: mean over these categories, "
        f"{_PLACES.get(evidence.home.aggregate, evidence.home.aggregate)}"
    )
    return Grid(caption, "Rater", columns, _groups(evidence, row))


def _shared(evidence: Evidence, ground: CommonGround) -> Grid:
    def row(subject: Subject) -> Row:
        return subject_row(subject, [ground.mean(metric, subject) for metric in METRICS])

    titles = listed(evidence.titles[name] for name in ground.categories)
    caption = f"All raters on the same categories: {titles}; mean over {plural(len(ground.languages), 'language')}"
    return Grid(caption, "Rater", tuple(metric_column(m) for m in METRICS), _groups(evidence, row))


def _groups(evidence: Evidence, row: Callable[[Subject], Row]) -> tuple[Group, ...]:
    parts = (("People", evidence.people), ("Raters", evidence.systems))
    return tuple(Group(title, tuple(row(s) for s in subjects)) for title, subjects in parts if subjects)


def _remark(ground: CommonGround) -> str:
    start = "These raters do not all cover the same categories and languages, so the rows above do not compare."
    if not ground.cells:
        return f"{start} No category and language is shared by all with a defined kappa, so no comparison is possible."
    left_out = ""
    if ground.left_out:
        left_out = (
            f" {ground.left_out} of {ground.left_out + len(ground.cells)} such pairs "
            f"{'is' if ground.left_out == 1 else 'are'} left out for all raters, as some kappa is undefined there."
        )
    return (
        f"{start} The table below does: every row is the mean over the same "
        f"{plural(len(ground.cells), 'language and category pair')}.{left_out} The report takes these means from the "
        "pairs' own figures, so they have no intervals."
    )
