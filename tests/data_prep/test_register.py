"""Edits: what they make of a text, and that it can be undone."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard import UserError
from data_prep.register import REGISTERS, Edit, Register, apply_edits, chosen, undo_edits


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text(max_size=40))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    ranges = list(pairwise(cuts))[::2]
    return text, [(start, end, draw(st.text(max_size=5))) for start, end in ranges]


def test_edits_replace_insert_and_delete():
    text, spans = apply_edits("one two three", [(0, 3, "1"), (4, 4, "and "), (7, 13, "")])
    assert text == "1 and two"
    assert spans == [(0, 1, "one"), (2, 6, ""), (9, 9, " three")]


def test_an_edit_that_changes_nothing_leaves_no_span():
    assert apply_edits("same", [(0, 4, "same")]) == ("same", [])


@pytest.mark.parametrize("edits", [[(2, 4, "x"), (3, 5, "y")], [(3, 2, "x")]])
def test_overlapping_edits_are_a_defect(edits):
    with pytest.raises(RuntimeError, match="begins before"):
        apply_edits("a text", edits)


@given(texts_with_edits())
def test_undoing_gives_the_parent_back(case):
    text, edits = case
    shifted, spans = apply_edits(text, edits)
    assert undo_edits(shifted, spans) == text


@given(st.integers(0, 12), st.floats(0.01, 1), st.integers(0, 2**32))
def test_something_is_chosen_where_there_is_a_choice(count, strength, seed):
    places = [(n, n + 1, "x") for n in range(count)]
    kept = chosen(places, strength, Random(seed))
    assert bool(kept) == bool(places)
    assert kept == sorted(set(kept) & set(places))


def test_every_module_offers_a_register():
    assert all(isinstance(REGISTERS.get(name), Register) for name in REGISTERS.names)


def test_an_unknown_register_is_named_with_the_nearest():
    with pytest.raises(UserError, match="Did you mean 'homoglyphs'"):
        REGISTERS.get("homoglyfs")
