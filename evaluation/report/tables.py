"""A table as data: what the templates' one grid macro draws."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.report.evidence import Figure, Subject
from evaluation.report.metric_texts import metric_text
from evaluation.report.wording import Style


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading and how its figures are written."""

    title: str
    style: Style = "coefficient"


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its heading, its cells, and the colour mark of its rater where it has one."""

    label: str
    cells: tuple[Figure | str, ...]
    mark: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one heading; an empty title draws no heading."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with a caption, column headings and grouped rows."""

    caption: str
    corner: str
    columns: tuple[Column, ...]
    groups: tuple[Group, ...]

    @property
    def has_intervals(self) -> bool:
        """Whether any cell has an interval."""
        return any(
            isinstance(entry, Figure) and entry.has_interval
            for group in self.groups
            for row in group.rows
            for entry in row.cells
        )


def metric_column(metric: str) -> Column:
    """Return the column of a metric."""
    text = metric_text(metric)
    return Column(text.title, text.style)


def subject_row(subject: Subject, cells: list[Figure | str]) -> Row:
    """Return the row of a rater, with its colour."""
    return Row(subject.label, tuple(cells), subject.mark)
