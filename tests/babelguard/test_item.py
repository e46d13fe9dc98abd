"""Items survive their files, and say what is wrong with a record."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard import Item, Message, Role, UserError
from babelguard.jsonl import dump_line, parse_line

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40)
LABELS = st.dictionaries(
    st.sampled_from(["Toxicity", "Bias"]), st.lists(st.none() | st.integers(1, 5), max_size=4).map(tuple), max_size=2
)


def an_item(**changes: object) -> Item:
    fields = {"id": "a/1", "text": "hello", "language": "en", "source": "a", "source_id": "a/1"}
    return Item(**{**fields, **changes})


@given(
    text=TEXT,
    labels=LABELS,
    role=st.sampled_from(Role),
    split=st.none() | st.sampled_from(["train", "test"]),
    turns=st.lists(st.builds(Message, TEXT, TEXT), max_size=3).map(tuple),
    metadata=st.dictionaries(TEXT, st.none() | st.integers() | TEXT, max_size=2),
)
def test_an_item_survives_a_line_of_json(text, labels, role, split, turns, metadata):
    item = an_item(text=text, labels=labels, role=role, split=split, messages=turns, metadata=metadata)
    assert Item.from_dict(parse_line(dump_line(item.to_dict()).removesuffix(b"\n"))) == item


def test_defaults_are_left_out_of_a_record():
    assert set(an_item().to_dict()) == {"id", "text", "language", "source", "source_id", "role", "register"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"txt": "x"}, "no field 'txt'"),
        ({"text": 3}, "'text' must be a string"),
        ({"id": None}, "'id' must be a string"),
        ({"role": "narrator"}, "unknown role 'narrator'"),
        ({"labels": [1]}, "'labels' must map"),
        ({"labels": {"Bias": "2"}}, "labels of 'Bias'"),
        ({"labels": {"Bias": [1.5]}}, "labels of 'Bias'"),
        ({"labels": {"Bias": [True]}}, "labels of 'Bias'"),
        ({"messages": "hi"}, "'messages' must be a list"),
        ({"messages": [{"role": "user"}]}, "'role' and 'content'"),
    ],
)
def test_a_bad_record_is_named(change, words):
    record = {**an_item().to_dict(), **change}
    with pytest.raises(UserError, match=words):
        Item.from_dict(record)


def test_the_content_key_is_about_what_a_rater_sees():
    item = an_item()
    same = an_item(id="b", labels={"Bias": (1,)}, split="test", subset="x", register="formal")
    assert item.content_key() == same.content_key()
    for change in ({"text": "hello "}, {"language": "de"}, {"role": Role.COMPLETION}):
        assert an_item(**change).content_key() != item.content_key()
    assert an_item(messages=(Message("user", "hello"),)).content_key() != item.content_key()


def test_a_lone_surrogate_has_a_key_and_a_line():
    item = an_item(text="a\ud800b")
    assert len(item.content_key()) == 16
    assert json.loads(dump_line(item.to_dict()))["text"] == "a\ud800b"
