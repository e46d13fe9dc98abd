"""Rated rows as files to download: CSV and XLSX in which no text can run as a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from data_prep.annotating.cells import guarded, shown
from demo.batch import RatedRow
from demo.verdict import CategoryVerdict, Verdict

Cell = str | int | float | None


def write_rated_csv(path: Path, columns: Sequence[str], rows: Sequence[RatedRow], order: Sequence[str]) -> None:
    """Write a CSV file: UTF-8 with the mark that spreadsheets look for, texts guarded against running as formulas.

    Args:
        path: The file.
        columns: The headings of the uploaded file.
        rows: Its rows, rated.
        order: The guard's categories, by name.
    """
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\r\n")
        for line in _lines(columns, rows, order):
            writer.writerow([guarded(shown(cell)) if isinstance(cell, str) else cell for cell in line])


def write_rated_xlsx(path: Path, columns: Sequence[str], rows: Sequence[RatedRow], order: Sequence[str]) -> None:
    """Write an XLSX file whose texts are typed as texts and whose numbers are numbers; arguments as for CSV."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    book = Workbook(write_only=True)
    page = book.create_sheet("ratings")
    page.freeze_panes = "A2"
    bold = Font(bold=True)
    for number, line in enumerate(_lines(columns, rows, order)):
        written: list[object] = []
        for value in line:
            if not isinstance(value, str) or value == "":
                written.append(None if value == "" else value)
                continue
            cell = WriteOnlyCell(page, value=shown(value))
            cell.data_type = "s"  # openpyxl takes a leading "=" for a formula
            if value.startswith("="):
                cell.quotePrefix = True  # and so would a program when the cell is edited
            if number == 0:
                cell.font = bold
            written.append(cell)
        page.append(written)
    book.save(path)


def rated_columns(columns: Sequence[str], order: Sequence[str]) -> list[str]:
    """Return the headings of the ratings; a heading that the file has already is given a number."""
    names = ["decision", "flagged categories", "language", "thresholds", "note"]
    names += [name for category in order for name in (f"{category} level", f"{category} probability")]
    taken, found = set(columns), []
    for name in names:
        candidate, count = name, 2
        while candidate in taken:
            candidate, count = f"{name} ({count})", count + 1
        taken.add(candidate)
        found.append(candidate)
    return found


def _lines(columns: Sequence[str], rows: Sequence[RatedRow], order: Sequence[str]) -> Iterator[list[Cell]]:
    yield [*columns, *rated_columns(columns, order)]
    for row in rows:
        yield [*row.cells, *_ratings(row, order)]


def _ratings(row: RatedRow, order: Sequence[str]) -> list[Cell]:
    verdict = row.verdict
    if verdict is None:
        return ["not rated", "", "", "", row.note, *([None] * (2 * len(order)))]
    by_name = {category.name: category for category in verdict.categories}
    cells: list[Cell] = [
        verdict.action,
        ", ".join(category.name for category in verdict.flags),
        verdict.asked or "",
        _thresholds(verdict),
        row.note,
    ]
    for name in order:
        cells += _figures(by_name[name])
    return cells


def _thresholds(verdict: Verdict) -> str:
    return (verdict.language if verdict.own_thresholds else None) or "pooled"


def _figures(category: CategoryVerdict) -> tuple[int, float]:
    return category.level, round(category.probability, 6)
