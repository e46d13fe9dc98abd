"""What stands behind a label: a level, or the reason why it is none."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from babelguard.rating import Score, Status
from evaluation.judging.folding import fold
from evaluation.judging.value import off_scale_number, read_value


def value(text: str, scale: int = 3) -> Score:
    return read_value(fold(text), scale)[0]


@pytest.mark.parametrize(
    "text",
    [
        *("2", " 2", "2 ", "2.", "2.0", "+2", "02", "２", "٢", "۲", "२", "২", "2\u200b"),
        *("(2)", "[2]", "{2}", "<2>", "**2**", "`2`", '"2"', "'2'", '("2")', "= 2", ": 2"),
        *("level 2", "Level: 2", "score 2", "rating = 2"),
        *("2 (depending on the context)", "2 (it might be 3 elsewhere)", "2 [a note]", "2 - a note", "2. A note."),
        *("2, a note", "2; a note", "2: a note", "2 slightly rude", "2/2", "2-2", "2 or 2", "2 out of 3", "2 of 3"),
        *("(assuming that it is fiction) 2", "[note: 3 people] 2", "2分", "2점", "2 (N/A)", "2?"),
    ],
)
def test_level(text: str):
    assert value(text) == Score(2)


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("1.5", "value '1.5'"),
        ("1,5", "value '1,5'"),
        ("1,000", "value '1,000'"),
        ("1 or 2", "value '1 or 2'"),
        ("2 or 3 (depending on the context)", "value '2 or 3'"),
        ("1 or 3 depending on the context", "value '1 or 3'"),
        ("1-2 (depending on the context)", "value '1-2'"),
        ("1 – 2", "value '1–2'"),
        ("2/3", "value '2/3'"),
        ("2 / 3", "value '2/3'"),
        ("1 to 2", "value '1 to 2'"),
        ("between 1 and 2", "value '1 and 2'"),
        ("either 1 or 2", "value '1 or 2'"),
        ("1 maybe 2", "value '1 maybe 2'"),
        ("1, maybe 2", "value '1 maybe 2'"),
        ("1, or 2", "value '1 or 2'"),
        ("1, 2", "value '1,2'"),
        ("1; 2", "value '1;2'"),
        ("**1** or **2**", "value '1 or 2'"),
        ("(1 or 2)", "value '1 or 2'"),
        ("1 (or 2)", "value '1 or 2'"),
        ("1 (2)", "value '1 or 2'"),
        ("1 2", "value '1 or 2'"),
        ("(1) 2", "two numbers"),
        ("(1) or (2)", "two numbers"),
        ("1/2/3", "three numbers or more"),
        ("1/1/2", "three numbers or more"),
        ("2+", "value '2' with an open end"),
        ("2 or higher", "value '2' with an open end"),
        ("2 or three", "value '2' with an open end"),
        (">2", "value '> 2'"),
        ("~2", "value '~ 2'"),
        ("- 2", "value '- 2'"),
    ],
)
def test_ambiguous(text: str, detail: str):
    assert value(text) == Score.missing(Status.AMBIGUOUS, detail)


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("0", "value 0 off 1-3"),
        ("0 (not rude at all)", "value 0 off 1-3"),
        ("-1", "value -1 off 1-3"),
        ("−1", "value -1 off 1-3"),
        ("4", "value 4 off 1-3"),
        ("5", "value 5 off 1-3"),
        ("٥", "value 5 off 1-3"),
        ("0.5", "value 0.5 off 1-3"),
        ("3.5", "value 3.5 off 1-3"),
        ("4/5", "value '4/5', on another scale than 1-3"),
        ("2/10", "value '2/10', on another scale than 1-3"),
        ("2 out of 5", "value '2 out of 5', on another scale than 1-3"),
        ("1" * 5000, "a number of 5000 digits off 1-3"),
    ],
)
def test_out_of_range(text: str, detail: str):
    assert value(text) == Score.missing(Status.OUT_OF_RANGE, detail)


def test_the_digits_of_every_script_count():
    decimals = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.decimal(chr(code), None) == 2]
    assert len(decimals) > 60
    assert {fold(digit) for digit in decimals} == {"2"}


def test_the_scale_decides():
    assert value("5", scale=5) == Score(5)
    assert value("3/5", scale=5).status is Status.AMBIGUOUS
    assert value("5/5", scale=5) == Score(5)
    assert value("4 out of 5", scale=5) == Score(4)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "N/A",
            "n/a",
            "NA",
            "n.a.",
            "Not applicable",
            "not applicable, no text",
            "N/A (1)",
            "(N/A)",
            "[NA]",
            "**N/A**",
        ),
        *("N/A, please enter a value between 1-3", "NA. (A note)", "nicht zutreffend", "不适用", "لا ينطبق"),
    ],
)
def test_not_applicable(text: str):
    assert value(text).status is Status.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", "no value"),
        ("  ", "no value"),
        ("()", "no value"),
        ("__", "no value"),
        ("None", "value 'None'"),
        ("none", "value 'none'"),
        ("null", "value 'null'"),
        ("?", "value '?'"),
        ("??? [a note]", "value '???'"),
        ("-", "value '-'"),
        ("- (not clear)", "value '-'"),
        ("2%", "a percentage"),
        *(
            (words, "words instead of a number")
            for words in ("two", "low", "Very low (2)", "TBD", "N", "(incomplete)", "Navigation", "Na verdade, 2", "x")
        ),
        ("same as above, a possible rating is 1.", "words instead of a number"),
        ("depends on the tone, but could be 2 or higher", "words instead of a number"),
        ("from 2", "words instead of a number"),
        ("$2", "words instead of a number"),
    ],
)
def test_unparsed(text: str, detail: str):
    assert value(text) == Score.missing(Status.UNPARSED, detail)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "[Unable to answer]",
            "I'm sorry, but I can't rate this.",
            "I cannot score this text",
            "No response possible",
        ),
        *("(cannot be determined from a fragment)", "[Could not be scored, as it is a fragment]", "As an AI, I do not"),
        *("I won’t rate this", "Lo siento, no puedo", "抱歉，我无法评分", "申し訳ありません", "죄송합니다", "ขออภัย"),
    ],
)
def test_refused(text: str):
    assert value(text) == Score.missing(Status.REFUSED, "declines to rate")


@pytest.mark.parametrize("text", ["I can't see any", "No bias", "Sorrento", "The text is sorry stuff"])
def test_words_that_are_no_refusal(text: str):
    assert value(text).status is Status.UNPARSED


def test_no_reason_repeats_words():
    for text in ("zanzibar", "(zanzibar)", "zanzibar 2", "1 or 2 zanzibar", "9 zanzibar", "N/A zanzibar", "? zanzibar"):
        assert "zanzibar" not in (value(text).detail or "")


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("-1", -1), ("7", 7), ("3.5", 3.5), ("0.00001", 0.00001)])
def test_a_number_off_the_scale_is_kept_in_the_reason(text: str, number: float):
    assert off_scale_number(value(text)) == number


@pytest.mark.parametrize("text", ["2", "4/5", "1.5", "N/A", "two"])
def test_other_values_have_no_such_number(text: str):
    assert off_scale_number(value(text)) is None
