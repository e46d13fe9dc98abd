"""Cells never run, and texts come back as they were sent."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_prep.annotating.cells import FORMULA_STARTS, LONGEST, guarded, same_text, shown, unguarded


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1+1", " =1", "'=1", "''x", "' =1"]
)
def test_what_could_be_a_formula_is_guarded(text):
    assert guarded(text)[0] == "'"
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("text", ["", "a=b", "it's", "שלום", "1-2"])
def test_other_text_is_left_alone(text):
    assert guarded(text) == text == unguarded(text)


@settings(deadline=None)
@given(st.text())
def test_guarding_is_undone_and_no_cell_begins_a_formula(text):
    assert unguarded(guarded(text)) == text
    assert not guarded(text).startswith(FORMULA_STARTS)


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_csv_keeps_guarded_cells(texts):
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\r\n").writerow([guarded(shown(text)) for text in texts])
    (line,) = csv.reader(io.StringIO(stream.getvalue(), newline=""), strict=True)
    assert [unguarded(cell) for cell in line] == [shown(text) for text in texts]


def test_what_no_xml_file_holds_is_shown_as_replaced_and_long_text_as_cut():
    assert shown("a\x00b\ud800\ufffe\tc\n") == "a\ufffdb\ufffd\ufffd\tc\n"
    cut = shown("x" * (LONGEST + 1))
    assert len(cut) < LONGEST
    assert "32,001 characters" in cut
    assert shown("x" * LONGEST) == "x" * LONGEST
    assert "cut" in shown("\U0001f600" * (LONGEST // 2 + 1))


def test_line_ends_and_composition_do_not_make_a_text_another():
    assert same_text("cafe\u0301\nx ", "café\r\nx")
    assert not same_text("a", "b")
