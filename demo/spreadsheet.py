"""Spreadsheets that people upload: CSV or XLSX, read within bounds, and every fault told in words."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from babelguard.rejects import RejectLog
from data_prep.annotating.cells import unguarded
from data_prep.reading.delimited import Dialect, read_delimited

MOST_ROWS = 10_000
MOST_COLUMNS = 200
MOST_UNPACKED = 400_000_000
"""Bytes that an XLSX file, which is an archive, may unpack to."""
DELIMITERS = (",", ";", "\t")
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LONGEST_HEAD = 262_144
"""Bytes of a CSV file in which its first line must end."""
_OLE = b"\xd0\xcf\x11\xe0"
"""How XLS files and XLSX files with a password begin."""

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
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]
    set_aside: tuple[str, ...] = ()

    def guess_text(self) -> str | None:
        """Return the heading of the column that holds the texts, as far as its name or its being alone tells."""
        return self.columns[0] if len(self.columns) == 1 else _named(self.columns, TEXT_NAMES)

    @property
    def names_its_text(self) -> bool:
        """Whether a heading says where the texts are, so that the first row is sure to hold headings."""
        return _named(self.columns, TEXT_NAMES) is not None

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
    readers = {".csv": _csv_rows, ".tsv": _csv_rows, ".txt": _csv_rows, ".xlsx": _xlsx_rows}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"{path.name} is neither CSV nor XLSX; save the table in one of these formats.")
    if path.stat().st_size == 0:
        raise UserError(f"{path.name} is empty; it needs a row of headings and at least one row of texts.")
    log = RejectLog()
    columns: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = []
    numbers: list[int] = []
    for number, cells in reader(path, log):
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
    set_aside = tuple(_told(path, rejection.line, rejection.reason) for rejection in log.rejections)
    if not rows:
        because = f" {set_aside[0]}" if set_aside else ""
        raise UserError(f"{path.name} has no rows of texts below its headings.{because}")
    return Spreadsheet(path.name, columns, tuple(rows), tuple(numbers), set_aside)


def _named(columns: Sequence[str], names: Sequence[str]) -> str | None:
    folded = {column.strip().casefold(): column for column in reversed(columns)}
    return next((folded[name] for name in names if name in folded), None)


def _told(path: Path, line: int | None, reason: str) -> str:
    return f"{path.name}, line {line}: {reason}." if line else f"{path.name}: {reason}."


def _csv_rows(path: Path, log: RejectLog) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the headings and then every row, with the line on which it begins."""
    dialect, headings = _dialect_and_headings(path)
    yield 1, headings
    for row in read_delimited(path, log, dialect=dialect):
        _check_encoding(path, log, dialect)
        cells = tuple(unguarded(cell) for cell in row.fields.values())
        if row.number > 1 and any(cell.strip() for cell in cells):
            yield row.line, cells
    _check_encoding(path, log, dialect)


def _dialect_and_headings(path: Path) -> tuple[Dialect, tuple[str, ...]]:
    """Find out how a CSV file is written, and take its headings; each column is known by its place from then on."""
    with path.open("rb") as stream:
        head = stream.read(_LONGEST_HEAD)
    if head.startswith((b"PK\x03\x04", _OLE)):
        raise UserError(f"{path.name} is a spreadsheet and not CSV by its content; save it as XLSX, under that ending.")
    encoding = "utf-16" if head.startswith(_BYTE_ORDER_MARKS) else "utf-8"
    text = head.decode(encoding, errors="replace").lstrip("\ufeff")
    if "\0" in text:
        raise UserError(f"{path.name} is not a text file; save the table as 'CSV UTF-8', or as XLSX.")
    delimiter = max(DELIMITERS, key=text.split("\n", 1)[0].count)
    try:
        cells = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), [])
    except csv.Error as error:
        raise UserError(f"{path.name}, line 1: the headings are not CSV ({error}); save the table again.") from None
    headings = check_headings(path, [unguarded(cell) for cell in cells])
    places = tuple(str(place) for place in range(len(headings)))
    return Dialect(delimiter=delimiter, encoding=encoding, columns=places), headings


def _check_encoding(path: Path, log: RejectLog, dialect: Dialect) -> None:
    """Refuse a file whose bytes are of another encoding: what could be read of it would be read wrongly too."""
    wrong = next((rejection for rejection in log.rejections if rejection.kind == "wrong-encoding"), None)
    if wrong is not None:
        where = f", line {wrong.line}," if wrong.line else ""
        raise UserError(
            f"{path.name}{where} is not {dialect.encoding.upper()}. Save the table as 'CSV UTF-8', or as XLSX, "
            "which has no encodings."
        )


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


def _xlsx_rows(path: Path, log: RejectLog) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the headings and then every row of the first page, with its number."""
    book = _open_workbook(path)
    columns: tuple[str, ...] = ()
    try:
        lines = book.worksheets[0].iter_rows(values_only=True, max_col=MOST_COLUMNS + 1) if book.worksheets else ()
        for number, line in enumerate(lines, start=1):
            cells = [_as_text(value) for value in line]
            if not any(cell.strip() for cell in cells):
                continue
            if not columns:
                while cells and not cells[-1].strip():
                    cells.pop()
                columns = check_headings(path, cells)
                yield number, columns
            elif any(cell.strip() for cell in cells[len(columns) :]):
                reason = f"the row has a cell without a heading above it (there are {len(columns)} headings)"
                log.reject(path, number, "ragged-row", reason)
            else:
                cells += [""] * (len(columns) - len(cells))
                yield number, tuple(cells[: len(columns)])
    except (KeyError, ValueError, SyntaxError, zipfile.BadZipFile, EOFError) as error:
        raise _damaged(path) from error
    finally:
        book.close()


def _open_workbook(path: Path) -> Any:  # noqa: ANN401 - openpyxl's workbook
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    with path.open("rb") as stream:
        if stream.read(4) == _OLE:
            raise UserError(f"{path.name} has a password or is an old XLS file; save it as XLSX without a password.")
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > MOST_UNPACKED:
            raise UserError(f"{path.name} unpacks to more than {MOST_UNPACKED // 1_000_000} MB; split the table.")
        return load_workbook(path, read_only=True, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, SyntaxError, OSError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> UserError:
    return UserError(f"{path.name} is not a readable XLSX file, or is damaged; open it and save it again as XLSX.")


def _as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
