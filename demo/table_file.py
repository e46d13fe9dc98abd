"""Uploaded tables: what the readers of CSV and of XLSX share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from babelguard.errors import UserError
from babelguard.rejects import RejectLog

MOST_COLUMNS = 200

Rows = Iterator[tuple[int, tuple[str, ...]]]
"""The headings and then every row, each with the line (CSV) or row (XLSX) of the file in which it stands."""


@dataclass(slots=True)
class TableFile:
    """A file that is being read, and what must be told about it beside its rows; the reader fills that in.

    Attributes:
        path: The file.
        log: Rows that could not be read.
        part: Which part of the file was read, in words; empty: all of it.
        remarks: Sentences about cells that were not read as one would expect.
    """

    path: Path
    log: RejectLog = field(default_factory=RejectLog)
    part: str = ""
    remarks: list[str] = field(default_factory=list)


def check_headings(path: Path, cells: Sequence[str]) -> tuple[str, ...]:
    """Return the headings, each column without one named by its number.

    Raises:
        UserError: Two are the same, or there are too many.
    """
    names = tuple(cell.strip() or f"column {place}" for place, cell in enumerate(cells, start=1))
    if len(names) > MOST_COLUMNS:
        raise UserError(f"{path.name} has more than {MOST_COLUMNS} columns; keep those that are needed.")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UserError(f"{path.name} has two columns named {twice!r:.60}; give each its own heading.")
    return names
