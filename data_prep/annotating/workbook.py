"""Sheets as XLSX: text that stays text, lists of levels to choose from, right-to-left columns, pages of notes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelguard.errors import UserError
from data_prep.annotating.cells import shown
from data_prep.annotating.sheet import Column, ReturnedRow, Sheet, returned_rows

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

FIRST_PAGE = "texts"
RIGHT_TO_LEFT = 2
LONGEST_LIST = 255
"""Characters of a list in a cell's rule; with a longer one Excel calls the file damaged. The import checks all."""
WHEN = (2000, 1, 1)
"""The date that every workbook bears, so that the same sheet gives the same bytes."""


def write_workbook(sheet: Sheet, path: Path) -> None:
    """Write a sheet and its notes."""
    from openpyxl import Workbook

    book = Workbook()
    page = book.active
    assert page is not None
    page.title = FIRST_PAGE
    _fill_page(page, sheet)
    for title, lines in sheet.notes.items():
        notes = book.create_sheet(title[:31])
        for line in lines:
            notes.append([""] * len(line))
            for place, text in enumerate(line, start=1):
                _put_text(notes.cell(notes.max_row, place), text, right_to_left=False)
        for place, width in enumerate((24, 24, 90), start=1):
            notes.column_dimensions[notes.cell(1, place).column_letter].width = width
    _save(book, path)


def _fill_page(page: Worksheet, sheet: Sheet) -> None:
    from openpyxl.styles import Font, PatternFill
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    for place, column in enumerate(sheet.columns, start=1):
        head = page.cell(1, place)
        _put_text(head, column.name, right_to_left=False)
        head.font = Font(bold=True)
        if column.fill_in:
            head.fill = PatternFill("solid", fgColor="FFF2CC")
        letter = get_column_letter(place)
        page.column_dimensions[letter].width = column.width
        choices = f'"{",".join(column.choices)}"'
        if column.choices and sheet.rows and len(choices) <= LONGEST_LIST:
            listed = DataValidation(type="list", formula1=choices, allow_blank=True)
            listed.errorTitle, listed.error = "Not on the list", f"Choose one of {', '.join(column.choices)}."
            listed.showErrorMessage = True
            listed.add(f"{letter}2:{letter}{len(sheet.rows) + 1}")
            page.add_data_validation(listed)
    for number, row in enumerate(sheet.rows, start=2):
        for place, column in enumerate(sheet.columns, start=1):
            _put_text(page.cell(number, place), row.get(column.name, ""), column.right_to_left)
    page.freeze_panes = "B2"


def _put_text(cell: Any, text: str, right_to_left: bool) -> None:  # noqa: ANN401 - openpyxl's cell types
    from openpyxl.styles import Alignment

    if text:
        cell.value = shown(text)
        cell.data_type = "s"  # openpyxl takes a leading "=" for a formula
        cell.quotePrefix = True  # and so would a program when the cell is edited
    order = RIGHT_TO_LEFT if right_to_left else 0
    cell.alignment = Alignment(wrap_text=True, vertical="top", readingOrder=order)


def _save(book: Any, path: Path) -> None:  # noqa: ANN401 - openpyxl's workbook
    from datetime import datetime
    from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

    from openpyxl.writer.excel import ExcelWriter

    book.properties.created = book.properties.modified = datetime(*WHEN)
    written = path.with_name(f"{path.name}.written")
    ExcelWriter(book, ZipFile(written, "w", ZIP_DEFLATED)).save()  # `Workbook.save` would write the time of day
    partial = path.with_name(f"{path.name}.partial")
    with ZipFile(written) as source, ZipFile(partial, "w", ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(ZipInfo(name, (*WHEN, 0, 0, 0)), source.read(name), ZIP_DEFLATED)
    written.unlink()
    partial.replace(path)


def read_workbook(path: Path, columns: tuple[Column, ...]) -> Iterator[ReturnedRow]:
    """Yield the rows of a sheet that came back; empty rows are passed over.

    Args:
        path: The file.
        columns: The columns that it must have, in any order.

    Raises:
        UserError: It is no XLSX file, or a column is missing or there twice.
    """
    import zipfile
    from xml.etree.ElementTree import ParseError

    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        # Formulas are read as they were typed: their values are not there until a program has computed them.
        book = load_workbook(path, read_only=True, data_only=False)
        with closing(book):
            page = book[FIRST_PAGE] if FIRST_PAGE in book.sheetnames else book.worksheets[0]
            page.reset_dimensions()  # the size that some programs write down is wrong
            lines = ([cell_text(value) for value in line] for line in page.iter_rows(values_only=True))
            yield from returned_rows(path, lines, columns)
    except (InvalidFileException, zipfile.BadZipFile, ParseError, LookupError, TypeError, ValueError, OSError) as error:
        raise UserError(f"{path} cannot be read as a spreadsheet ({error}); save it as XLSX or CSV again.") from None


def cell_text(value: object) -> str:
    """Return what a cell shows: nothing for an empty one, no `.0` behind whole numbers."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
