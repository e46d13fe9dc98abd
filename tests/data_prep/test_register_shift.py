"""The driver of register shift: twins, their provenance, and every twin that is not made."""

from __future__ import annotations

from collections import Counter

import pytest

from babelguard import RTP_LX, Item
from babelguard.item import Message
from babelguard.recipe import validate
from babelguard.rejects import RejectLog
from data_prep.register import undo_edits
from data_prep.register_shift import ShiftOptions, shift_items
from data_prep.sources.sample import SampleOptions, read

TEXT = "It is raining, so take an umbrella."


def item(text: str = TEXT, language: str = "en", **fields) -> Item:
    labels = {"Toxicity": (1, 2, None)}
    return Item(f"made/{language}/1", text, language, "made", "made/1", split="test", labels=labels, **fields)


def shift(items, *registers, **options):
    log = RejectLog()
    chosen = ShiftOptions.model_validate({"registers": list(registers), **options})
    return list(shift_items(items, chosen, log)), log


def test_a_twin_is_its_parent_in_other_words():
    parent = item(subset="transcreated", metadata={"index": 7})
    (first, twin), log = shift([parent], "leet")
    assert first is parent
    assert twin.id == "made/en/1#leet"
    assert twin.register == "leet"
    for name in ("language", "source", "source_id", "role", "subset", "split", "labels", "metadata"):
        assert getattr(twin, name) == getattr(parent, name)
    assert twin.text != parent.text
    assert not log.left_out


def test_provenance_tells_how_to_repeat_and_undo_it():
    parent = item()
    (_, twin), _ = shift([parent], {"kind": "zero-width", "strength": 1.0, "name": "zero-width-all"})
    told = twin.provenance
    assert told["parent"] == parent.id
    assert (told["register"], twin.register) == ("zero-width", "zero-width-all")
    assert told["strength"] == 1.0
    assert told["inverse"] is True
    assert undo_edits(twin.text, told["spans"]) == parent.text


def test_a_twin_depends_on_the_item_the_register_and_the_seed_alone():
    parent = item()
    alone = shift([parent], "leet")[0][-1]
    among_others = shift([item(language="de"), parent], "homoglyphs", "leet")[0][-1]
    assert alone == among_others
    assert shift([parent], "leet", seed=1)[0][-1].provenance["seed"] != alone.provenance["seed"]


def test_the_inverse_is_checked_on_each_text():
    (_, clean), _ = shift([item("some words")], "zero-width")
    (_, held), _ = shift([item("some\u200b words")], "zero-width")
    assert clean.provenance["inverse"] is True
    assert held.provenance["inverse"] is False


def test_what_is_refused_is_counted_with_its_reason():
    made, log = shift([item("आज बारिश होगी।", "hi"), item("abc def", "en")], "leet", "arabizi", "emoji-words")
    assert Counter(one.register for one in made) == {"neutral": 2, "leet": 1}
    assert log.left_out == {
        "register leet: it exists for the scripts Latn, Cyrl, Grek only": 1,
        "register arabizi: it exists for ar only": 2,
        "register emoji-words: the names of emoji have been looked through for "
        "en, es, fr, de, pt, it, ru, ar, zh, ja only": 1,
        "register emoji-words: nothing to change in the text": 1,
    }


def test_other_registers_pass_through_and_void_texts_have_no_twin():
    human = item(register="texting")
    void = item("NA", metadata={"text_is_void": True})
    made, log = shift([human, void], "leet", "quoted")
    assert made == [human, void]
    assert log.left_out == {"register shift: the text is void": 2}


def test_parents_can_be_left_out():
    made, _ = shift([item()], "quoted", keep_parents=False)
    assert [one.register for one in made] == ["quoted"]


def test_the_last_turn_of_the_user_is_shifted():
    turns = (Message("user", "Hello there"), Message("user", "Nice weather"), Message("assistant", "Indeed it is"))
    (parent, twin), _ = shift([item("", messages=turns)], "shouting")
    assert [turn.content for turn in twin.messages] == ["Hello there", "NICE WEATHER", "Indeed it is"]
    assert twin.provenance["message"] == 1
    assert twin.text == parent.text == ""


@pytest.mark.parametrize(
    ("registers", "message"),
    [
        (["leat"], "no register 'leat'"),
        (["leet", "leet"], "two registers are named 'leet'"),
        ([{"kind": "leet", "strength": 0}], "greater than 0"),
    ],
)
def test_a_wrong_recipe_is_told(registers, message):
    with pytest.raises(Exception, match=message):
        validate({"registers": registers}, ShiftOptions, "recipe.yaml")


def test_every_text_of_the_sample_is_accounted_for_in_every_register():
    items = [one for one in read(SampleOptions(), RTP_LX, RejectLog()) if one.register == "neutral"]
    names = ["leet", "homoglyphs", "keyboard-typos", "polite-wrapping", "contractions", "pinyin", "no-vowel-points"]
    made, log = shift(items, *names)
    assert len(items) == 720
    assert len(made) - len(items) + sum(log.left_out.values()) == len(items) * len(names)
    parents = {one.id: one for one in items}
    for twin in made:
        if twin.id not in parents:
            parent = parents[twin.provenance["parent"]]
            assert undo_edits(twin.text, twin.provenance["spans"]) == parent.text
            assert (twin.source_id, twin.labels, twin.split) == (parent.source_id, parent.labels, parent.split)
