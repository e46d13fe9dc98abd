"""A sheet: columns and rows for one person, whatever file it is written to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from babelguard.errors import UserError

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
    """One row of a sheet that came back.

    Attributes:
        number: Its number in the file.
        cells: Heading -> cell as text, for the columns that were sent.
        beside: What stands in other columns or under no heading.
    """

    number: int
    cells: Mapping[str, str]
    beside: tuple[str, ...] = ()


def returned_rows(path: Path, lines: Iterable[Sequence[str]], columns: Sequence[Column]) -> Iterator[ReturnedRow]:
    """Yield the rows of a sheet, whatever file it came back in; empty rows are passed over.

    Args:
        path: The file, for errors.
        lines: The lines of cells, the headings first.
        columns: The columns that it must have, in any order.

    Raises:
        UserError: A column is missing or there twice.
    """
    remaining = iter(lines)
    head = next(remaining, ())
    for column in columns:
        if head.count(column.name) != 1:
            told = "there twice" if column.name in head else "missing"
            raise UserError(
                f"{path}, row 1: the column {column.name!r} is {told}; keep the headings as they were sent."
            )
    names = {column.name for column in columns}
    for number, line in enumerate(remaining, start=2):
        cells = {name: cell for name, cell in zip(head, line, strict=False) if name in names}
        others = (cell for place, cell in enumerate(line) if place >= len(head) or head[place] not in names)
        row = ReturnedRow(number, cells, tuple(cell for cell in others if cell))
        if row.beside or any(cells.values()):
            yield row
