"""A batch from the uploaded table to the files that are downloaded."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from openpyxl import load_workbook

from babelguard.errors import UserError
from demo.batch import NO_TEXT, UNKNOWN_LANGUAGE, BatchChoices, RatedRow, Tally, rate_rows
from demo.rated_file import rated_columns, write_rated_csv, write_rated_xlsx
from demo.spreadsheet import Spreadsheet, read_spreadsheet
from demo.verdict import Moderator
from tests.demo.conftest import FLAGGED, HARMLESS

CHOICES = BatchChoices("text", "language")


def rated(moderator: Moderator, sheet: Spreadsheet, choices: BatchChoices = CHOICES) -> list[RatedRow]:
    return [row for chunk in rate_rows(moderator, sheet, choices) for row in chunk]


def test_every_row_is_accounted_for(moderator: Moderator, table: Path) -> None:
    rows = rated(moderator, read_spreadsheet(table))
    assert [row.number for row in rows] == [2, 3, 4, 5]
    assert [row.verdict and row.verdict.action for row in rows] == ["allow", "flag", "allow", None]
    tally = Tally()
    for row in rows:
        tally.add(row)
    assert (tally.rows, tally.flagged, tally.without_text) == (3, 1, 1)
    assert tally.by_language["en"] == (2, 1)
    assert tally.notes == {NO_TEXT: 1}


def test_batches_rate_as_single_texts(moderator: Moderator) -> None:
    texts = [f"{HARMLESS} {'tea ' * (n % 30)}{FLAGGED if n % 7 == 0 else ''}" for n in range(150)]
    sheet = Spreadsheet("t.csv", ("text",), tuple((text,) for text in texts), tuple(range(150)))
    rows = rated(moderator, sheet, BatchChoices("text", language="en"))
    alone = [moderator.judge(text, "en") for text in texts]
    for row, verdict in zip(rows, alone, strict=True):
        assert row.verdict is not None
        assert row.verdict.levels == verdict.levels


def test_unknown_codes_are_noted_and_columns_are_checked(moderator: Moderator) -> None:
    sheet = Spreadsheet("t.csv", ("x", "l"), ((HARMLESS, "klingon"),), (2,))
    (row,) = rated(moderator, sheet, BatchChoices("x", "l"))
    assert row.note == UNKNOWN_LANGUAGE
    assert row.verdict is not None
    assert row.verdict.asked is None
    with pytest.raises(UserError, match="Choose which of its 2 columns"):
        rated(moderator, sheet, BatchChoices(""))
    with pytest.raises(UserError, match="no column 'z'"):
        rated(moderator, sheet, BatchChoices("z"))


def test_downloads_hold_the_table_the_ratings_and_no_formula(moderator: Moderator, table: Path, tmp_path: Path) -> None:
    sheet = read_spreadsheet(table)
    rows = rated(moderator, sheet)
    order = moderator.guard.bundle.category_names
    write_rated_csv(tmp_path / "r.csv", sheet.columns, rows, order)
    write_rated_xlsx(tmp_path / "r.xlsx", sheet.columns, rows, order)
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as stream:
        lines = list(csv.DictReader(stream))
    page = load_workbook(tmp_path / "r.xlsx")["ratings"]
    head = [cell.value for cell in page[1]]
    assert list(lines[0]) == head
    assert lines[0]["id"] == "1"
    assert [line["decision"] for line in lines] == ["allow", "flag", "allow", "not rated"]
    assert lines[2]["text"].startswith("'=")
    assert page["B4"].value == f"=1+{FLAGGED}"
    assert page["B4"].data_type == "s"
    verdict = rows[1].verdict
    assert verdict is not None
    assert float(lines[1]["Toxicity probability"]) == pytest.approx(verdict.categories[0].probability, abs=1e-6)
    assert page.cell(3, head.index("Toxicity level") + 1).value == verdict.categories[0].level
    assert "\r\n" in (tmp_path / "r.csv").read_bytes().decode("utf-8-sig")


def test_headings_of_the_file_are_not_taken_twice() -> None:
    assert rated_columns(["decision", "decision (2)"], ["Bias"])[0] == "decision (3)"


def test_the_language_column_that_is_ours_stands_beside_theirs(moderator: Moderator, table: Path) -> None:
    sheet = read_spreadsheet(table)
    assert "language (2)" in rated_columns(sheet.columns, moderator.guard.bundle.category_names)
