"""XLSX files that people upload: the first sheet, read within bounds, and every fault told in words."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from data_prep.annotating.workbook import cell_text
from demo.csv_rows import OLE
from demo.table_file import MOST_COLUMNS, Rows, TableFile, check_headings

MOST_UNPACKED = 400_000_000
"""Bytes that an XLSX file, which is an archive, may unpack to."""
_DAMAGED = (KeyError, ValueError, SyntaxError, zipfile.BadZipFile, EOFError)
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def xlsx_rows(file: TableFile) -> Rows:
    """Yield the headings and then every row of the first sheet, with its number.

    Raises:
        UserError: The file cannot be read as XLSX, unpacks to too much, or its headings are wrong.
    """
    path = file.path
    book = _open_workbook(path)
    columns: tuple[str, ...] = ()
    try:
        if not book.worksheets:
            return
        page = book.worksheets[0]
        if len(book.worksheets) > 1:
            file.part = f"sheet {page.title!r:.40}, the first of {len(book.worksheets)}; the others are not read"
        for number, line in enumerate(page.iter_rows(values_only=True, max_col=MOST_COLUMNS + 1), start=1):
            cells = [cell_text(value) for value in line]
            if not any(cell.strip() for cell in cells):
                continue
            if not columns:
                columns = _headings(path, cells)
                yield number, columns
            elif any(cell.strip() for cell in cells[len(columns) :]):
                reason = f"the row has a cell without a heading above it (there are {len(columns)} headings)"
                file.log.reject(path, number, "ragged-row", reason)
            else:
                cells += [""] * (len(columns) - len(cells))
                yield number, tuple(cells[: len(columns)])
        file.remarks += _formulas_told(path, page._worksheet_path)  # openpyxl has no public way to it
    except _DAMAGED as error:
        raise _damaged(path) from error
    finally:
        book.close()


def _headings(path: Path, cells: list[str]) -> tuple[str, ...]:
    while cells and not cells[-1].strip():
        cells.pop()
    return check_headings(path, cells)


def _formulas_told(path: Path, member: str) -> list[str]:
    """Say how many formulas have no stored value.

    Programs that write XLSX without computing leave values out; such cells read as empty ones, so that their texts
    would be missing without a word. A formula whose value is the empty text is typed as text, and is no such cell.
    """
    from openpyxl.xml.functions import iterparse

    count, first = 0, ""
    with zipfile.ZipFile(path) as archive, archive.open(member) as stream:
        for _, element in iterparse(stream):
            if element.tag == f"{_MAIN}c":
                formula, value = element.find(f"{_MAIN}f"), element.findtext(f"{_MAIN}v")
                if formula is not None and not value and element.get("t") != "str":
                    count, first = count + 1, first or element.get("r", "")
            elif element.tag == f"{_MAIN}row":
                element.clear()
    if not count:
        return []
    hold = "1 cell holds a formula" if count == 1 else f"{count:,} cells hold formulas"
    where = f" ({'it' if count == 1 else 'the first'} is {first})" if first else ""
    return [
        f"{hold} without a stored value{where}, read as empty: open the file in a spreadsheet program, save it, "
        "and upload it again."
    ]


def _open_workbook(path: Path) -> Any:  # noqa: ANN401 - openpyxl's workbook
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    with path.open("rb") as stream:
        if stream.read(4) == OLE:
            raise UserError(f"{path.name} has a password or is an old XLS file; save it as XLSX without a password.")
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > MOST_UNPACKED:
            raise UserError(f"{path.name} unpacks to more than {MOST_UNPACKED // 1_000_000} MB; split the table.")
        return load_workbook(path, read_only=True, data_only=True)
    except (InvalidFileException, OSError, *_DAMAGED) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> UserError:
    return UserError(f"{path.name} is not a readable XLSX file, or is damaged; open it and save it again as XLSX.")
