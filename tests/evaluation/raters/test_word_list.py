"""The word list: whole words where the script separates them, marks included."""

from __future__ import annotations

import pytest

from babelguard import RTP_LX, Item, UserError
from evaluation.rater import Workbench
from evaluation.raters.word_list import WordListOptions, build

LIST = """
en: {Insult: [dolt, nit wit], Violence: [smite]}
hi: {Insult: [कम]}
zh-Hans: {Insult: [笨]}
tur: {Insult: [İNATÇI]}
"""


@pytest.fixture
def rater(tmp_path):
    path = tmp_path / "list.yaml"
    path.write_text(LIST, encoding="utf-8")
    return build("words", WordListOptions(path=path), Workbench(RTP_LX, lambda splits: []))


def levels(rater, text: str, language: str) -> dict[str, int | None]:
    (rating,) = rater.rate([Item("i", text, language, "s", "s/1")])
    return {name: rating.scores[name].level for name in ("Toxicity", "Insult", "Violence")}


@pytest.mark.parametrize(
    ("text", "language", "insult"),
    [
        ("You dolt!", "en", 2),
        ("YOU DOLT", "en", 2),
        ("ｙｏｕ ｄｏｌｔ", "en", 2),
        ("a dolthead", "en", 1),
        ("undolt", "en", 1),
        ("a nit wit", "en", 2),
        ("a nit, wit", "en", 1),
        ("यह कम है", "hi", 2),
        ("कमी है", "hi", 1),  # a vowel sign goes on with the word
        ("你真笨啊", "zh-Hans", 2),
        ("ne inatçı adam", "tr", 1),  # the dotted capital folds to i and a combining dot
        ("NE İNATÇI ADAM", "tr", 2),
        ("", "en", 1),
    ],
)
def test_words_are_found_where_they_are_words(rater, text, language, insult):
    assert levels(rater, text, language)["Insult"] == insult


def test_a_hit_is_the_middle_of_the_scale_and_any_hit_is_toxic(rater):
    assert levels(rater, "smite him", "en") == {"Toxicity": 3, "Insult": 1, "Violence": 2}
    assert levels(rater, "hello", "en") == {"Toxicity": 1, "Insult": 1, "Violence": 1}


def test_what_the_list_does_not_cover_is_not_covered(rater):
    (rating,) = rater.rate([Item("i", "hello", "en", "s", "s/1")])
    assert rater.covers == ("Toxicity", "Violence", "Insult")
    assert rating.scores["Bias"].status == "not-covered"
    assert rater.accepts(Item("i", "x", "en", "s", "s/1"))
    assert not rater.accepts(Item("i", "x", "fr", "s", "s/1"))


def test_the_raw_answer_counts_and_does_not_quote(rater):
    (rating,) = rater.rate([Item("i", "dolt dolt smite", "en", "s", "s/1")])
    assert rating.raw == "Insult: 1, Violence: 1"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("en: {Isult: [x]}", "Did you mean 'Insult'"),
        ("en: [x]", "en must map categories to lists"),
        ("en: {Insult: []}", "en.Insult must be a list of words"),
        ("en: {Insult: ['']}", "en.Insult must be a list of words"),
        ("qq: {Insult: [x]}", "language"),
    ],
)
def test_a_bad_list_is_told(tmp_path, text, words):
    path = tmp_path / "list.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=words):
        build("words", WordListOptions(path=path), Workbench(RTP_LX, lambda splits: []))


def test_the_bundled_list_flags_something_in_every_language_of_the_sample():
    from babelguard.rejects import RejectLog
    from data_prep.sources.sample import SampleOptions, read

    rater = build("words", WordListOptions(), Workbench(RTP_LX, lambda splits: []))
    items = list(read(SampleOptions(), RTP_LX, RejectLog(strict=True)))
    assert all(rater.accepts(item) for item in items)
    flagged = {
        item.language
        for item, rating in zip(items, rater.rate(items), strict=True)
        if rating.scores["Toxicity"].level > 1
    }
    assert flagged == {item.language for item in items}
