"""Uploaded files: what is read, and what is told where nothing can be."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from babelguard.errors import UserError
from demo import xlsx_rows
from demo.spreadsheet import read_spreadsheet


def written(tmp_path: Path, name: str, content: bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def workbook(path: Path, rows: list[list[object]]) -> Path:
    book = Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_reads_what_spreadsheets_save(tmp_path: Path, delimiter: str, encoding: str) -> None:
    text = delimiter.join(["Text", "lang"]) + "\r\n" + delimiter.join(["مرحبا", "ar"]) + "\r\n"
    found = read_spreadsheet(written(tmp_path, "t.csv", text.encode(encoding)))
    assert found.columns == ("Text", "lang")
    assert found.rows == (("مرحبا", "ar"),)
    assert (found.guess_text(), found.guess_language()) == ("Text", "lang")


def test_reads_xlsx_with_numbers_gaps_and_empty_rows(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", [[], ["comment", "n"], ["a", 2.0], [None, None], ["b"]])
    found = read_spreadsheet(path)
    assert found.rows == (("a", "2"), ("b", ""))
    assert found.numbers == (3, 5)
    assert found.guess_text() == "comment"


def test_guards_of_exported_formulas_are_taken_off(tmp_path: Path) -> None:
    assert read_spreadsheet(written(tmp_path, "t.csv", b"text\n'=1+1\n")).rows == (("=1+1",),)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("t.pdf", b"x", "neither CSV nor XLSX"),
        ("t.csv", b"", "is empty"),
        ("t.csv", b"text\n", "no rows of texts"),
        ("t.csv", b"\n\n", "no rows of texts"),
        ("t.csv", "text\ncaf\u00e9\n".encode("latin-1"), "line 2, is not UTF-8"),
        ("t.csv", b"\x89PNG\x00\x01", "not a text file"),
        ("t.csv", b"PK\x03\x04rest", "is a spreadsheet and not CSV"),
        ("t.csv", b"a,a\n1,2\n", "two columns named 'a'"),
        ("t.csv", b"text\n" + b"x\n" * 6, "more than 5 rows"),
        ("t.csv", b",".join(b"c%d" % n for n in range(300)) + b"\n", "more than 200 columns"),
        ("t.xlsx", b"nonsense", "not a readable XLSX"),
        ("t.xlsx", b"\xd0\xcf\x11\xe0rest", "has a password or is an old XLS"),
    ],
)
def test_tells_in_words_what_is_wrong(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    with pytest.raises(UserError, match=told) as caught:
        read_spreadsheet(written(tmp_path, name, content), most_rows=5)
    assert str(tmp_path) not in str(caught.value)


def test_a_million_rows_are_refused_without_being_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with path.open("w", encoding="utf-8") as stream:
        stream.write("text\n" + "short\n" * 1_000_000)
    with pytest.raises(UserError, match=r"more than 10,000 rows"):
        read_spreadsheet(path)


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_rows, "MOST_UNPACKED", 1000)
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 100_000)
    with pytest.raises(UserError, match="unpacks to more"):
        read_spreadsheet(path)


def test_rows_that_cannot_be_read_are_named_and_counted(tmp_path: Path) -> None:
    found = read_spreadsheet(written(tmp_path, "t.csv", b'text,b\n"open,1\nfine,2\nshort\n'))
    assert found.rows == (("fine", "2"),)
    assert [sentence.split(":")[0] for sentence in found.set_aside] == ["t.csv, line 2", "t.csv, line 4"]


def test_without_a_known_heading_no_column_is_guessed(tmp_path: Path) -> None:
    assert read_spreadsheet(written(tmp_path, "t.csv", b"x,y\n1,2\n")).guess_text() is None
    alone = read_spreadsheet(written(tmp_path, "t.csv", b"x\n1\n"))
    assert (alone.guess_text(), alone.names_its_text) == ("x", False)


def test_a_first_line_may_name_the_delimiter(tmp_path: Path) -> None:
    for line in ("sep=|", '"sep=|"', "SEP=|"):
        found = read_spreadsheet(written(tmp_path, "t.csv", f"{line}\r\ntext|n\r\na, b; c|1\r\nx\r\n".encode()))
        assert (found.columns, found.rows, found.numbers) == (("text", "n"), (("a, b; c", "1"),), (3,))
        assert [sentence.split(":")[0] for sentence in found.set_aside] == ["t.csv, line 4"]
    alone = read_spreadsheet(written(tmp_path, "t.csv", b"sep=;\ntext\na,b\n"))
    assert (alone.columns, alone.rows, alone.set_aside) == (("text",), (("a,b",),), ())


def test_empty_lines_before_the_headings_are_passed_over(tmp_path: Path) -> None:
    assert read_spreadsheet(written(tmp_path, "t.csv", b"\r\n\ntext;n\na;1\n")).rows == (("a", "1"),)


def test_a_cell_that_is_too_long_is_told_in_our_words(tmp_path: Path) -> None:
    found = read_spreadsheet(written(tmp_path, "t.csv", b"text\n" + b"x" * 131_073 + b"\nfine\n"))
    assert found.rows == (("fine",),)
    assert "a cell has more than 131,072 characters" in found.set_aside[0]
    with pytest.raises(UserError, match="headings are not CSV .a cell has more than 131,072 characters"):
        read_spreadsheet(written(tmp_path, "t.csv", b"x" * 131_073 + b"\nfine\n"))


def test_only_the_first_of_several_sheets_is_read_and_that_is_told(tmp_path: Path) -> None:
    book = Workbook()
    assert book.active is not None
    book.active.title = "Spring"
    book.active.append(["text"])
    book.active.append(["a"])
    book.create_sheet("Summer").append(["text"])
    book.save(tmp_path / "t.xlsx")
    found = read_spreadsheet(tmp_path / "t.xlsx")
    assert found.part == "sheet 'Spring', the first of 2; the others are not read"
    assert read_spreadsheet(workbook(tmp_path / "one.xlsx", [["text"], ["a"]])).part == ""


def test_formulas_without_a_value_are_counted_with_the_remedy(tmp_path: Path) -> None:
    rows: list[list[object]] = [["text", "n"], ["a", "=1+1"], ["=UPPER(A2)", 2], ["=A2", "=A3"]]
    found = read_spreadsheet(workbook(tmp_path / "t.xlsx", rows))
    assert found.rows == (("a", ""), ("", "2"))
    (remark,) = found.remarks
    assert remark.startswith("4 cells hold formulas without a stored value (the first is B2)")
    assert "save it" in remark
    with pytest.raises(UserError, match="1 cell holds a formula"):
        read_spreadsheet(workbook(tmp_path / "none.xlsx", [["text"], ["=A1"]]))


def test_a_formula_whose_value_is_the_empty_text_is_an_empty_cell(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", [["text", "n"], ["a", "=A9"], ["b", "=A8"]])
    sheet = "xl/worksheets/sheet1.xml"
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members[sheet] = members[sheet].replace(b'<c r="B2"', b'<c r="B2" t="str"')
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert read_spreadsheet(path).remarks[0].startswith("1 cell holds a formula without a stored value (it is B3)")


cells = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8))
def test_what_the_standard_library_writes_comes_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    stream = io.StringIO()
    csv.writer(stream).writerows([("text", "note"), *rows])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(stream.getvalue().encode("utf-8"))
    wanted = [row for row in rows if any(cell.strip() for cell in row)]
    if any(cell.startswith("'") for row in wanted for cell in row):
        return  # an apostrophe before a formula is a guard, and is taken off
    if not wanted:
        with pytest.raises(UserError, match="no rows"):
            read_spreadsheet(path)
        return
    assert list(read_spreadsheet(path).rows) == wanted
