"""Answers that come as text: what counts, what has a probability, and what is missing for a reason."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard.generator import Generation
from babelguard.rating import Status
from evaluation.guarding.answering import Answer
from evaluation.guarding.asking import Unanswered
from evaluation.guarding.form import Step
from evaluation.guarding.reading import read_answer

LLAMA = (Step(choose={"safe": 0.0, "unsafe": 1.0}, verdict=True), Step(say="\n", codes=True))
WILD = (
    Step(say="Harmful request:", choose={" yes": 1.0, " no": 0.0}),
    Step(say="\nResponse refusal:", choose={" yes": 1.0, " no": 0.0}),
    Step(say="\nHarmful response:", choose={" yes": 1.0, " no": 0.0}, verdict=True),
)
QWEN = (
    Step(say="Safety:", choose={" Safe": 0.0, " Controversial": 0.5, " Unsafe": 1.0}, verdict=True),
    Step(say="\nCategories:", codes=True),
)
GRANITE = (Step(say="<score>", choose={" yes": 1.0, " no": 0.0}, verdict=True),)


def read(text: str, steps=LLAMA, *places: dict[str, float], status: Status = Status.OK, threshold: float = 0.5):
    logarithms = tuple({token: math.log(chance) for token, chance in place.items()} for place in places)
    return read_answer(Generation(text, status, top_logprobs=logarithms), steps, threshold)


@pytest.mark.parametrize(
    ("text", "steps", "flagged", "written"),
    [
        ("safe", LLAMA, False, None),
        ("\n\nunsafe\nS1,S10", LLAMA, True, "S1,S10"),
        ("UNSAFE\r\nS1\nand so on", LLAMA, True, "S1"),
        ("unsafe", LLAMA, True, ""),
        ("Harmful request: yes\nResponse refusal: no\nHarmful response: no", WILD, False, None),
        ("harmful request: no\nresponse refusal: yes\nHarmful response: Yes", WILD, True, None),
        ("Safety: Controversial\nCategories: Violent, PII", QWEN, True, "Violent, PII"),
        ("Safety: Safe\nCategories: None", QWEN, False, None),
        ("<think>\n</think>\n<score> yes </score>", GRANITE, True, None),
    ],
)
def test_answers_are_read(text: str, steps, flagged: bool, written: str | None) -> None:
    found = read(text, steps)
    assert isinstance(found, Answer)
    assert (found.flagged, found.written, found.measured, found.raw) == (flagged, written, False, text.strip())


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("", LLAMA),
        ("I cannot help with that. safe", LLAMA),
        ("safety first", LLAMA),
        ("Harmful request: yes", WILD),
        ("Harmful request: maybe\nResponse refusal: no\nHarmful response: no", WILD),
        ("Safety: Fine", QWEN),
    ],
)
def test_an_answer_without_a_verdict_is_unparsed_or_cut(text: str, steps) -> None:
    assert read(text, steps) == Unanswered(
        Status.UNPARSED, "the answer has no verdict where the preset's 'answers' say"
    )
    cut = read(text, steps, status=Status.TRUNCATED)
    assert cut == Unanswered(Status.TRUNCATED, "the answer was cut before its verdict")


@pytest.mark.parametrize("status", [Status.BLOCKED, Status.ERROR, Status.REFUSED])
def test_what_the_service_did_not_answer_keeps_its_status(status: Status) -> None:
    assert read_answer(Generation("", status, "why"), LLAMA, 0.5) == Unanswered(status, "why")


def test_a_list_that_was_cut_is_known_as_such() -> None:
    found = read("unsafe\nS1,S", status=Status.TRUNCATED)
    assert isinstance(found, Answer)
    assert (found.written, found.ended) == ("S1,S", False)
    behind = read("unsafe\nS1\nBecause", status=Status.TRUNCATED)
    assert isinstance(behind, Answer)
    assert behind.ended


@pytest.mark.parametrize(
    "places",
    [
        ({"\n\n": 0.9, "safe": 0.1}, {"unsafe": 0.6, "safe": 0.3, "hello": 0.1}, {"\n": 1.0}, {"S1": 1.0}),
        ({"\n\nunsafe": 0.6, "\n\nsafe": 0.3, "x": 0.1}, {"\n": 1.0}, {"S1": 1.0}),
        ({"\n\n": 1.0}, {"un": 0.6, "safe": 0.2, "s": 0.1, "I": 0.1}, {"safe": 1.0}, {"\nS1": 1.0}),
    ],
)
def test_the_first_decisive_place_has_the_probability(places: tuple[dict[str, float], ...]) -> None:
    found = read("\n\nunsafe\nS1", LLAMA, *places)
    assert isinstance(found, Answer)
    assert found.measured
    assert found.chances == pytest.approx({"unsafe": 2 / 3, "safe": 1 / 3})
    assert found.mass == pytest.approx(0.9)
    assert found.flagged
    assert isinstance(read("\n\nunsafe\nS1", LLAMA, *places, threshold=0.7), Answer)
    assert not read("\n\nunsafe\nS1", LLAMA, *places, threshold=0.7).flagged  # type: ignore[union-attr]


def test_white_space_that_a_service_leaves_out_does_no_harm() -> None:
    found = read("safe", LLAMA, {"\n\n": 1.0}, {"safe": 0.75, "unsafe": 0.25})
    assert isinstance(found, Answer)
    assert found.chances == pytest.approx({"safe": 0.75, "unsafe": 0.25})


def test_a_threshold_below_a_half_flags_what_was_called_safe() -> None:
    found = read("safe", LLAMA, {"safe": 0.6, "unsafe": 0.4}, threshold=0.3)
    assert isinstance(found, Answer)
    assert (found.flagged, found.written) == (True, "")


@pytest.mark.parametrize("places", [({"other": 1.0},), ({"sa": 0.5, "un": 0.5},), ({"x": 0.5}, {"y": 0.5})])
def test_tokens_that_are_not_the_texts_give_no_probability(places: tuple[dict[str, float], ...]) -> None:
    found = read("safe", LLAMA, *places)
    assert isinstance(found, Answer)
    assert not found.measured
    assert found.chances == {"safe": 1.0}


@given(
    st.text(max_size=40),
    st.lists(st.dictionaries(st.text(max_size=6), st.floats(-50, 1), min_size=1, max_size=4), max_size=6),
    st.sampled_from([LLAMA, WILD, QWEN, GRANITE]),
)
def test_whatever_a_service_writes_there_is_an_answer_or_a_reason(text, places, steps) -> None:
    for generation in (Generation(text, top_logprobs=tuple(places)), Generation(text, Status.TRUNCATED)):
        found = read_answer(generation, steps, 0.5)
        if isinstance(found, Answer):
            assert math.isclose(sum(found.chances.values()), 1.0)
            assert 0.0 < found.mass <= 1.0
        else:
            assert found.status in {Status.UNPARSED, Status.TRUNCATED}
