"""Entries are found where they stand as words, in every script."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.blocking.folding import fold
from evaluation.blocking.matcher import Hit, Matcher


def spans(entries: list[str], text: str) -> list[tuple[int, int]]:
    return [(hit.start, hit.end) for hit in Matcher.of({"list": entries}).find(text)]


@pytest.mark.parametrize(
    ("entries", "text", "expected"),
    [
        (["cat"], "a cat, the CAT; concatenate cat_ cats", [(2, 5), (11, 14)]),
        (["strasse"], "Hauptstraße Straße", [(12, 18)]),
        (["cafe"], "cafe cafe\u0301", [(0, 4)]),  # a combining mark goes on with the word
        (["cat sat"], "the cat sat.", [(4, 11)]),
        (["c@t", "#cat"], "c@t x#cat", [(0, 3), (5, 9)]),  # an edge that is no letter needs no boundary
        (["🐱"], "my🐱!", [(2, 3)]),
        (["猫"], "这猫很大", [(1, 2)]),
        (["แมว"], "มีแมวอยู่", [(2, 5)]),
        (["ネコ"], "黒ﾈｺだ", [(1, 3)]),  # half width
        (["av"], "そのAVはslaveと", [(2, 4)]),  # a Latin entry is a word also in Japanese
        (["고양이"], "고양이 고양이는", [(0, 3)]),  # Korean separates words
        (["बिल"], "बिल बिल्ली", [(0, 3)]),  # the virama goes on with the word
        (["قط"], "قط قطة", [(0, 2)]),
        (["кот"], "КОТ котик", [(0, 3)]),
        (["a", "ab", "b"], "ab a", [(0, 2), (3, 4)]),
        (["cat"], "", []),
        (["cat"], "\ud800 cat \udfff", [(2, 5)]),
    ],
)
def test_hits_by_hand(entries: list[str], text: str, expected: list[tuple[int, int]]) -> None:
    assert spans(entries, text) == expected


def test_a_hit_names_every_list_that_holds_it() -> None:
    matcher = Matcher.of({"hrv_Latn": ["Mačka", "pas"], "bos_Latn": ["mačka "]})
    assert matcher.find("Pas i mačka") == [Hit(0, 3, ("hrv_Latn",)), Hit(6, 11, ("bos_Latn", "hrv_Latn"))]
    assert matcher.holds("mačka")
    assert not matcher.holds("mačkama")


def test_a_long_text_of_hits_is_no_trouble() -> None:
    text = "cat " * 50_000
    assert len(Matcher.of({"list": ["cat"]}).find(text)) == 50_000


words = st.lists(st.text("abÄß c", min_size=1, max_size=4).filter(lambda word: word.strip()), min_size=1, max_size=5)


@given(words, st.text("abÄäßS c.", max_size=30))
def test_hits_are_those_of_a_regular_expression(entries: list[str], text: str) -> None:
    folded = fold(text)
    expected = set()
    for entry in {fold(entry).strip() for entry in entries}:
        pattern = re.compile(rf"(?<!\w)(?={re.escape(entry)}(?!\w))")
        expected |= {(match.start(), match.start() + len(entry)) for match in pattern.finditer(folded)}
    origin = [place for place, character in enumerate(text) for _ in fold(character)]
    assert spans(entries, text) == sorted((origin[start], origin[end - 1] + 1) for start, end in expected)
