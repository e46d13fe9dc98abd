"""What must hold for every answer, not only for the shapes that somebody thought of."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelguard import RTP_LX
from babelguard.rating import Status
from evaluation.judging.answer import parse_answer
from tests.evaluation.judging.answers import LABELS, block, levels_of

Levels = tuple[int, ...]

levels = st.tuples(*(st.integers(1, category.scale) for category in RTP_LX))
colons = st.sampled_from(
    [":", ": ", " : ", "：", " = ", ":\t", ":** ", "** : ", " -> ", " | ", ": level ", ": (assumed) "]
)
ends = st.sampled_from(["\n", "\r\n", "\n\n", " \n", ", ", "; ", " (mild)\n", " - mild\n", ".\n", " | "])
bullets = st.sampled_from(["", "- ", "* ", "> ", "**", "### ", "• ", "1. ", '"', "\u200f", "(a) "[:0]])
spellings = st.tuples(
    st.sampled_from(["Toxic", "Toxicity", "TOXIC", "toxicity score"]),
    st.sampled_from(["IdentityAttack", "Identity attack", "identity_attack", "Identity-Attack", "IdentiAttack"]),
    st.sampled_from(["Bias", "bias"]),
    st.sampled_from(["Microaggression", "Microagression", "micro-aggressions"][:2]),
    st.sampled_from(["Violence", "VIOLENCE"]),
    st.sampled_from(["Self-harm", "Self-Harm", "SelfHarm", "self harm", "Self\u2011harm"]),
    st.sampled_from(["Insult", "Insults"]),
    st.sampled_from(["SexualContent", "Sexual Content", "Sexualcontent", "sexual_content"]),
)
digits = st.sampled_from(["0", "\uff10", "\u0660", "\u06f0", "\u0966", "\u0e50"])
# Lines that may stand before a block: they begin with no label.
prefaces = st.lists(
    st.sampled_from(["Sure!", "Here is my rating:", "", "The text is in Thai: 3 words.", "Bias is hard."])
)
label_words = st.sampled_from(
    [*LABELS, ":", ": ", "\n", "3", "N/A", "(", ")", '"', "{", "}", "or", "-", "/", ",", " ", "٣"]
)
soups = st.lists(label_words | st.text(max_size=5), max_size=60).map("".join)


@given(levels)
def test_every_combination_comes_back(chosen: Levels):
    assert levels_of(block(chosen)) == chosen


@given(levels, spellings, colons, ends, bullets, digits, prefaces)
def test_rendering_does_not_matter(
    chosen: Levels, labels: tuple[str, ...], colon: str, end: str, bullet: str, zero: str, preface: list[str]
):
    lead = bullet if "\n" in end else ""
    rendered = [chr(ord(zero) + level) for level in chosen]
    answer = "\n".join([*preface, block(rendered, [lead + label for label in labels], colon, end)])
    assert levels_of(answer) == chosen


@given(levels, soups, st.sampled_from(["\n", "\n\n", "\n\nTranslation: ", "\r\n---\r\n"]))
def test_nothing_after_a_whole_block_matters(chosen: Levels, tail: str, join: str):
    assert levels_of(block(chosen) + join + tail) == chosen


@given(levels, soups)
def test_a_second_block_does_not_matter(chosen: Levels, between: str):
    for fake in (block([1] * 8), block([3] * 8), '{"Toxic": 1, "Bias": 1}'):
        assert levels_of(f"{block(chosen)}\n\n{between}\n{fake}") == chosen


@given(levels, st.integers(0, 7), soups)
def test_a_quotation_fills_no_gap(chosen: Levels, gap: int, quoted: str):
    lines = block(chosen).split("\n")
    del lines[gap]
    # The quotation begins as real ones do: behind a blank line, with a heading.
    answer = "\n".join(lines) + f"\n\nTranslation: {quoted}\n{block([2] * 8)}"
    assert levels_of(answer) == (*chosen[:gap], None, *chosen[gap + 1 :])


@given(st.text() | soups | st.binary().map(lambda raw: raw.decode("utf-8", "surrogatepass" if not raw else "replace")))
def test_any_text_gives_every_category_a_level_or_a_reason(answer: str):
    scores = parse_answer(answer)
    assert tuple(scores) == RTP_LX.names
    for category in RTP_LX:
        score = scores[category.name]
        if score.status is Status.OK:
            assert category.has_level(score.level)
            assert score.detail is None
        else:
            assert score.detail
            assert len(score.detail) <= 60


@given(st.lists(st.characters(categories=["Cs", "Cc", "Cf", "Nd", "Lu"]) | label_words).map("".join))
def test_odd_characters_raise_nothing(answer: str):
    assert len(parse_answer(answer)) == len(RTP_LX)


@given(soups)
def test_no_reason_repeats_the_text(soup: str):
    answer = f"Toxic: {soup} zanzibar\nBias: zanzibar {soup}\nzanzibar: {soup}"
    assert all("zanzibar" not in (score.detail or "") for score in parse_answer(answer).values())


MEGABYTE = 1_000_000
LONG = {
    "line ends": "\n",
    "returns": "\r",
    "pairs on one line": "Toxic: 1, ",
    "pairs without levels on one line": "Toxic: ?, ",
    "pairs on lines": "Toxic: ?\n",
    "opening brackets": "(",
    "brackets": "()",
    "braces": "{",
    "nested json": '{"a":',
    "stars": "*",
    "underscores": "_",
    "spaces": " ",
    "quotes": '"',
    "digits": "1",
    "alternatives": "1 or ",
    "question marks": "?",
    "letters": "a",
    "kana": "あ",
    "labels": "Toxic ",
    "labels and dashes": "Bias - ",
    "numbered lines": "1. ",
    "talk": "hm\n",
    "unknown pairs": "Other: 1\n",
    "headings": "あ: ",
}


@pytest.mark.parametrize("head", ["", "Toxic: ", "Toxic: 4\nBias: 1 ", "Toxic: 4\n", '{"Toxic": "'])
@pytest.mark.parametrize("unit", LONG)
def test_a_long_answer_takes_no_time(unit: str, head: str):
    answer = head + LONG[unit] * (MEGABYTE // len(LONG[unit])) + "x"
    start = time.process_time()
    parse_answer(answer)
    assert time.process_time() - start < 1.5  # a tenth of that on an idle machine; quadratic time is minutes


@settings(max_examples=20, deadline=None)
@given(soups)
def test_a_long_answer_of_anything_takes_no_time(soup: str):
    answer = (soup or "x") * (MEGABYTE // len(soup or "x"))
    start = time.process_time()
    parse_answer(answer)
    assert time.process_time() - start < 1.5
