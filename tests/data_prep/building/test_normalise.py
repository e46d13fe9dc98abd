"""Normalising changes how a text is written, never what it says."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_prep.building.normalise import NormaliseRecipe, normalise_item, normaliser
from tests.data_prep.building.made_items import item

NORMALISE = normaliser(NormaliseRecipe())


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian: zero-width non-joiner
        "क्\u200dष",  # Devanagari: zero-width joiner
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # a family: emoji joined
        "\u202bשלום\u202c",  # explicit direction
    ],
)
def test_joiners_and_direction_marks_survive(text):
    assert NORMALISE(text) == text


def test_composition_line_ends_and_ends():
    assert NORMALISE(" cafe\u0301\r\nau lait\r ") == "café\nau lait"


def test_nothing_asked_nothing_done():
    as_it_is = normaliser(NormaliseRecipe(unicode="none", line_ends=False, trim=False))
    assert as_it_is(" cafe\u0301\r\n") == " cafe\u0301\r\n"


@given(st.text())
def test_it_is_idempotent_and_keeps_every_format_character(text):
    once = NORMALISE(text)
    assert NORMALISE(once) == once

    def formats(value):
        return [c for c in value if unicodedata.category(c) == "Cf"]

    assert formats(once) == formats(unicodedata.normalize("NFC", text))


def test_encoding_is_mended_only_where_asked():
    broken = "schÃ¶n \u201cso\u201d &amp; ﬁn"
    assert NORMALISE(broken) == broken
    mended = normaliser(NormaliseRecipe(mend_encoding=True))(broken)
    assert mended == "schön \u201cso\u201d &amp; ﬁn"  # quotes, entities and ligatures stay as people wrote them


def test_an_item_that_does_not_change_is_the_same_object():
    one = item(1)
    assert normalise_item(one, NORMALISE) is one
    assert normalise_item(item(1, text=" a "), NORMALISE).text == "a"
