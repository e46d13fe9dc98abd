"""CSV files that people upload: delimiter and encoding found out, and every fault told in words."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from pathlib import Path

from babelguard.errors import UserError
from babelguard.rejects import RejectLog
from data_prep.annotating.cells import unguarded
from data_prep.reading.delimited import Dialect, read_delimited
from demo.table_file import Rows, TableFile, check_headings

DELIMITERS = (",", ";", "\t")
DELIMITERS_TOLD = "commas, semicolons and tabs between cells are read, and what a first line such as sep=| names."
OLE = b"\xd0\xcf\x11\xe0"
"""How XLS files and XLSX files with a password begin."""
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LONGEST_HEAD = 262_144
"""Bytes of a CSV file in which its first line must end."""
_NAMED_DELIMITER = re.compile(r'\A"?sep=(?P<delimiter>[^\w"\r\n])"?(?:\r\n|\r|\n)', re.IGNORECASE)
"""The first line by which a file tells spreadsheet programs its delimiter."""


@dataclass(frozen=True, slots=True)
class _Head:
    """How a file is written, its headings, and whether a line before them names the delimiter."""

    dialect: Dialect
    headings: tuple[str, ...]
    named: bool


def csv_rows(file: TableFile) -> Rows:
    """Yield the headings and then every row, with the line on which it begins.

    Raises:
        UserError: The file is no CSV, is in another encoding, or its headings are wrong.
    """
    path, log = file.path, file.log
    head = _read_head(path)
    first = 2 if head.named else 1
    yield first, head.headings
    for row in read_delimited(path, log, dialect=head.dialect):
        _check_encoding(path, log, head.dialect)
        cells = tuple(unguarded(cell) for cell in row.fields.values())
        if row.number > first and any(cell.strip() for cell in cells):
            yield row.line, cells
    _check_encoding(path, log, head.dialect)
    # The line that names the delimiter has not as many cells as there are columns, which is no fault.
    kept = [rejection for rejection in log.rejections if not (head.named and rejection.line == 1)]
    log.rejections[:] = [replace(rejection, reason=_in_our_words(rejection.reason)) for rejection in kept]


def _read_head(path: Path) -> _Head:
    """Find out how a CSV file is written, and take its headings; each column is known by its place from then on."""
    with path.open("rb") as stream:
        head = stream.read(_LONGEST_HEAD)
    if head.startswith((b"PK\x03\x04", OLE)):
        raise UserError(f"{path.name} is a spreadsheet and not CSV by its content; save it as XLSX, under that ending.")
    encoding = "utf-16" if head.startswith(_BYTE_ORDER_MARKS) else "utf-8"
    text = head.decode(encoding, errors="replace").lstrip("\ufeff")
    if "\0" in text:
        raise UserError(f"{path.name} is not a text file; save the table as 'CSV UTF-8', or as XLSX.")
    named = _NAMED_DELIMITER.match(text)
    text = text[named.end() :] if named else text
    delimiter = named["delimiter"] if named else max(DELIMITERS, key=text.lstrip("\r\n").split("\n", 1)[0].count)
    records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        cells = next((record for record in records if record), [])
    except csv.Error as error:
        why = _in_our_words(str(error))
        raise UserError(f"{path.name}, line 1: the headings are not CSV ({why}); save the table again.") from None
    headings = check_headings(path, [unguarded(cell) for cell in cells])
    places = tuple(str(place) for place in range(len(headings)))
    return _Head(Dialect(delimiter=delimiter, encoding=encoding, columns=places), headings, named is not None)


def _check_encoding(path: Path, log: RejectLog, dialect: Dialect) -> None:
    """Refuse a file whose bytes are of another encoding: what could be read of it would be read wrongly too."""
    wrong = next((rejection for rejection in log.rejections if rejection.kind == "wrong-encoding"), None)
    if wrong is not None:
        where = f", line {wrong.line}," if wrong.line else ""
        raise UserError(
            f"{path.name}{where} is not {dialect.encoding.upper()}. Save the table as 'CSV UTF-8', or as XLSX, "
            "which has no encodings."
        )


def _in_our_words(reason: str) -> str:
    """Return what is wrong with a record; the standard library speaks of fields and their limit."""
    if "field larger than field limit" not in reason:
        return reason
    return (
        f"a cell has more than {csv.field_size_limit():,} characters, or a quote opens and does not close; "
        "shorten the text, or divide it among several rows"
    )
