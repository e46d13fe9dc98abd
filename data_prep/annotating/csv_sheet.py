"""Sheets as CSV: UTF-8 with the byte order mark that spreadsheets look for, formulas guarded."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from babelguard.errors import UserError
from data_prep.annotating.cells import guarded, shown, unguarded
from data_prep.annotating.sheet import CODE, Column, ReturnedRow, Sheet, returned_rows

DELIMITERS = (",", ";", "\t")
"""What spreadsheets write between cells, by locale and format."""


def write_csv(sheet: Sheet, path: Path) -> None:
    """Write a sheet; its notes go to files of their own (see `write_notes`)."""
    names = [column.name for column in sheet.columns]
    lines = [names, *([row.get(name, "") for name in names] for row in sheet.rows)]
    _write(path, lines)


def write_notes(sheet: Sheet, folder: Path) -> None:
    """Write each page of notes as a CSV file."""
    for title, lines in sheet.notes.items():
        _write(folder / f"{title}.csv", [list(line) for line in lines])


def _write(path: Path, lines: list[list[str]]) -> None:
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\r\n")
        writer.writerows([guarded(shown(text)) for text in line] for line in lines)
    partial.replace(path)


def read_csv(path: Path, columns: tuple[Column, ...]) -> Iterator[ReturnedRow]:
    """Yield the rows of a sheet that came back; empty rows are passed over.

    Spreadsheets save CSV with commas, semicolons or tabs, in UTF-8 or UTF-16; all are read.

    Args:
        path: The file.
        columns: The columns that it must have, in any order.

    Raises:
        UserError: It is in another encoding or cannot be taken apart, or a column is missing or there twice.
    """
    text = _decoded(path)
    first = re.split("[\r\n]", text, maxsplit=1)[0]
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        yield from returned_rows(path, ([unguarded(cell) for cell in line] for line in reader), columns)
    except csv.Error as error:
        raise UserError(
            f"{path}, line {reader.line_num}: this is not CSV ({error}); save it as CSV UTF-8 or XLSX again."
        ) from None


def _decoded(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from None
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        name = encoding.removesuffix("-sig").upper()
        raise UserError(
            f"{path} is not {name} (byte {error.start}); save it as 'CSV UTF-8', or as XLSX, whose {CODE} survives."
        ) from None
