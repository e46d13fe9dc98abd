"""The n-gram classifier learns from its own splits and refuses to be measured on them."""

from __future__ import annotations

import pytest

from babelguard import RTP_LX, Item, UserError
from evaluation.rater import Workbench
from evaluation.raters.char_ngrams import CharNgramsOptions, build


def training(count: int = 20, both: bool = True) -> list[Item]:
    return [
        Item(
            id=f"t/{n}",
            text=f"{'zap' if n % 2 else 'calm'} number {n}",
            language="en",
            source="s",
            source_id=f"s/{n}",
            split="train",
            labels={"Violence": (3 if n % 2 and both else 1,), "Toxicity": (4 if n % 2 and both else 1, None)},
        )
        for n in range(count)
    ]


def make(items, **options):
    return build("ngrams", CharNgramsOptions(**options), Workbench(RTP_LX, lambda splits: items))


def test_it_learns_what_the_labels_say_and_covers_nothing_else():
    rater = make(training())
    assert rater.covers == ("Toxicity", "Violence")
    shown = [Item("a", "zap zap", "en", "s", "s/new"), Item("b", "calm calm", "en", "s", "s/other")]
    harmful, calm = rater.rate(shown)
    assert (harmful.scores["Violence"].level, harmful.scores["Toxicity"].level) == (3, 4)
    assert calm.scores["Violence"].level == 1
    assert harmful.scores["Violence"].probability > 0.5 > calm.scores["Violence"].probability
    assert harmful.scores["Bias"].status == "not-covered"


def test_it_refuses_to_rate_what_it_was_trained_on_also_in_another_language():
    rater = make(training())
    with pytest.raises(UserError, match=r"was trained on s/3.*set corpus.splits"):
        list(rater.rate([Item("x", "other words", "fr", "s", "s/3")]))


def test_the_fingerprint_follows_the_training_labels_and_the_options():
    assert make(training()).fingerprint == make(training()).fingerprint
    assert make(training()).fingerprint != make(training(18)).fingerprint
    assert make(training()).fingerprint != make(training(), longest=3).fingerprint


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([], "the splits train hold no labelled item"),
        (training(both=False), "no category has two different levels"),
    ],
)
def test_without_something_to_learn_it_says_so(items, words):
    with pytest.raises(UserError, match=words):
        make(items)


def test_no_items_give_no_ratings():
    assert list(make(training()).rate([])) == []
