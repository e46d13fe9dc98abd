"""Spreadsheets that people upload: CSV or XLSX, read within bounds, and every fault told in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from babelguard.errors import UserError
from demo.csv_rows import csv_rows
from demo.table_file import TableFile
from demo.xlsx_rows import xlsx_rows

MOST_ROWS = 10_000
TEXT_NAMES = ("text", "prompt", "comment", "message", "content", "sentence", "tweet", "post", "body", "utterance")
LANGUAGE_NAMES = ("language", "lang", "locale", "language_code", "language code")


@dataclass(frozen=True, slots=True)
class Spreadsheet:
    """The rows of an uploaded file.

    Attributes:
        name: The file's name, as the person knows it.
        columns: The headings, all different.
        rows: One tuple of cells a row, as many as there are columns.
        numbers: The line (CSV) or row (XLSX) of the file in which each row stands.
        set_aside: Sentences about rows that could not be read.
        part: Which part of the file was read, in words; empty: all of it.
        remarks: Sentences about cells that were not read as one would expect.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]
    set_aside: tuple[str, ...] = ()
    part: str = ""
    remarks: tuple[str, ...] = ()

    def guess_text(self) -> str | None:
        """Return the heading of the column that holds the texts, as far as its name or its being alone tells."""
        return self.columns[0] if len(self.columns) == 1 else _named(self.columns, TEXT_NAMES)

    @property
    def names_its_text(self) -> bool:
        """Whether a heading says where the texts are, so that the first row is sure to hold headings."""
        return _named(self.columns, TEXT_NAMES) is not None

    @property
    def is_workbook(self) -> bool:
        """Whether the file is XLSX."""
        return Path(self.name).suffix.lower() == ".xlsx"

    def guess_language(self) -> str | None:
        """Return the heading of the column that holds language codes, as far as its name tells."""
        return _named(self.columns, LANGUAGE_NAMES)


def read_spreadsheet(path: Path, most_rows: int = MOST_ROWS) -> Spreadsheet:
    """Read a file whose first row holds the headings.

    Args:
        path: The file; its ending says whether it is CSV or XLSX.
        most_rows: A file with more rows is refused; no more than these are read.

    Raises:
        UserError: The file is of another kind or encoding, damaged, empty or too large; the sentence says what to do.
    """
    readers = {".csv": csv_rows, ".tsv": csv_rows, ".txt": csv_rows, ".xlsx": xlsx_rows}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"{path.name} is neither CSV nor XLSX; save the table in one of these formats.")
    if path.stat().st_size == 0:
        raise UserError(f"{path.name} is empty; it needs a row of headings and at least one row of texts.")
    file = TableFile(path)
    columns: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = []
    numbers: list[int] = []
    for number, cells in reader(file):
        if not columns:
            columns = cells
            continue
        if len(rows) == most_rows:
            raise UserError(
                f"{path.name} has more than {most_rows:,} rows, and this page rates no more at once. Split the file, "
                "or rate it with the API or with python -m evaluation.run."
            )
        rows.append(cells)
        numbers.append(number)
    set_aside = tuple(_told(path, rejection.line, rejection.reason) for rejection in file.log.rejections)
    if not rows:
        because = "".join(f" {sentence}" for sentence in (*set_aside[:1], *file.remarks))
        raise UserError(f"{path.name} has no rows of texts below its headings.{because}")
    return Spreadsheet(path.name, columns, tuple(rows), tuple(numbers), set_aside, file.part, tuple(file.remarks))


def _named(columns: Sequence[str], names: Sequence[str]) -> str | None:
    folded = {column.strip().casefold(): column for column in reversed(columns)}
    return next((folded[name] for name in names if name in folded), None)


def _told(path: Path, line: int | None, reason: str) -> str:
    return f"{path.name}, line {line}: {reason}." if line else f"{path.name}: {reason}."
