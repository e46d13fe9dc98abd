"""A sheet: columns and rows for one person, whatever file it is written to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

CODE = "code"
"""Name of the column by which rows are known again."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: Its heading.
        width: Width in characters.
        fill_in: Whether the person writes here.
        choices: The only answers allowed; any if empty.
        right_to_left: Whether its texts run from right to left.
    """

    name: str
    width: int = 40
    fill_in: bool = False
    choices: tuple[str, ...] = ()
    right_to_left: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """One person's sheet.

    Attributes:
        name: Name of its file, without the ending.
        columns: The columns; the first is `CODE`.
        rows: One mapping of headings to cells a row.
        notes: Title -> lines of cells: pages beside the sheet, such as rubric and guidelines.
    """

    name: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, str], ...]
    notes: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReturnedRow:
    """One row of a sheet that came back: its number in the file, and its cells as text."""

    number: int
    cells: Mapping[str, str]
