"""Preference pairs: what each completion should be called, against what its counterpart should be."""

from __future__ import annotations

from dataclasses import replace

from babelguard.item import Item, Role
from tests.train.generative.small_corpus import CLEAN, items
from tests.train.generative.test_guard_form import form_of
from train.generative.examples import Tally, in_context, make_examples, prompts_of
from train.generative.preferences import NO_COUNTERPART, SAME_ANSWER, Pair, draw_pairs, make_pairs


def said(pairs: list[Pair]) -> dict[str, tuple[str, str]]:
    tokens = form_of().tokenizer
    return {pair.item: (tokens.decode(pair.chosen[:-1]), tokens.decode(pair.rejected[:-1])) for pair in pairs}


def test_each_completion_is_called_what_it_is_and_not_what_the_other_is() -> None:
    found = said(list(make_pairs(items(1), form_of(), Tally())))
    assert found == {
        "made/en/0/completion": ("unsafe\nS1,S7", "safe"),
        "made/en/0/benign-completion": ("safe", "unsafe\nS1,S7"),
        "made/de/0/completion": ("unsafe\nS1,S7", "safe"),
        "made/de/0/benign-completion": ("safe", "unsafe\nS1,S7"),
    }


def test_where_both_have_one_answer_there_is_nothing_to_prefer() -> None:
    tally = Tally()
    assert not list(make_pairs(items(1, rude=False), form_of(), tally))
    assert tally.left_out == {SAME_ANSWER: 4}


def test_a_completion_alone_makes_no_pair() -> None:
    tally = Tally()
    alone = [item for item in items(1) if item.role is not Role.BENIGN_COMPLETION]
    assert not list(make_pairs(alone, form_of(), tally))
    assert tally.left_out == {NO_COUNTERPART: 2}


def test_completions_stand_behind_their_prompts_where_the_corpus_has_them() -> None:
    made = items(2)
    shown = list(in_context(made))
    assert len(shown) == 8
    assert {item.messages[0].content for item in shown} == {item.text for item in prompts_of(made).values()}
    assert {item.split for item in shown} == {"train"}


def test_fewer_pairs_are_some_of_more() -> None:
    pairs = list(make_pairs(items(8), form_of(), Tally()))
    few, more = ({pair.item for pair in draw_pairs(pairs, most)} for most in (3, 7))
    assert len(few) == 3
    assert few < more < {pair.item for pair in pairs}


def test_what_cannot_be_learnt_is_counted() -> None:
    tally = Tally()
    blank: Item = replace(items(1)[0], text=" ", labels=CLEAN)
    assert not list(make_examples([blank, replace(blank, text="fine", labels={})], form_of(), tally))
    assert tally.left_out == {"the text is empty": 1, "no category is covered": 1}
    assert tally.remarks("training items")[0] == "1 training items left out: no category is covered."
