"""The page for a file: what it says about an upload before anything is rated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook

from demo.resources import Resources

Look = Callable[[bytes, str], tuple[bool, str]]


@pytest.fixture(scope="module")
def look(resources: Resources, tmp_path_factory: pytest.TempPathFactory, gradio_without_loops: None) -> Look:
    """Upload a file: whether its rows can be rated, and what the page says."""
    import gradio as gr

    from demo.pages.batch_file import BatchFilePage

    with gr.Blocks(analytics_enabled=False):
        page = BatchFilePage(resources)
    assert page.file.file_types is None  # Gradio's own check would leave the page's message as it was

    def upload(content: bytes, name: str) -> tuple[bool, str]:
        path: Path = tmp_path_factory.mktemp("upload") / name
        path.write_bytes(content)
        _, _, _, rate, told, *_ = page.look(str(path))
        return rate["interactive"], told

    return upload


def test_rows_can_be_rated_once_there_is_a_column_of_texts(look: Look) -> None:
    ready, told = look(b"text,n\na,1\n", "t.csv")
    assert (ready, "t.csv: 1 row, 2 columns." in told) == (True, True)
    ready, told = look(b"x,n\na,1\nb,2\n", "t.csv")
    assert (ready, "2 rows, 2 columns." in told, "choose which one holds" in told) == (False, True, True)


def test_one_column_is_told_with_the_delimiters_that_are_read(look: Look) -> None:
    ready, told = look(b"text|n\na|1\n", "t.csv")
    assert (ready, "1 row, 1 column." in told) == (True, True)
    assert "commas, semicolons and tabs between cells are read" in told


def test_a_row_that_cannot_be_read_is_told_by_its_line(look: Look) -> None:
    _, told = look(b"text,n\na,1\nshort\n", "t.csv")
    assert "1 row cannot be read and is left out; t.csv, line 3" in told


def test_other_sheets_and_formulas_without_values_are_told(look: Look, tmp_path: Path) -> None:
    book = Workbook()
    assert book.active is not None
    for row in (["text", "n"], ["a", "=1+1"]):
        book.active.append(row)
    book.create_sheet("More")
    book.save(tmp_path / "t.xlsx")
    _, told = look((tmp_path / "t.xlsx").read_bytes(), "t.xlsx")
    assert "t.xlsx (sheet &#39;Sheet&#39;, the first of 2; the others are not read): 1 row, 2 columns." in told
    assert "1 cell holds a formula without a stored value (it is B2)" in told


def test_a_file_of_a_wrong_type_is_told_on_the_page(look: Look) -> None:
    ready, told = look(b"%PDF", "t.pdf")
    assert (ready, "is-wrong" in told, "neither CSV nor XLSX" in told) == (False, True, True)
