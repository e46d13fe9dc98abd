"""Llama Guard's format: verdicts and codes, and the prompt that lists what an item covers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from babelguard.errors import UserError
from babelguard.item import Item, Message, Role
from babelguard.taxonomy import RTP_LX
from evaluation.guarding.codes import read_codes
from tests.evaluation.guarding.layouts import CHATML
from tests.evaluation.guarding.tiny_guards import tokenizer
from train.generative.endings import end_of_answer
from train.generative.guard_form import GuardForm
from train.generative.guard_prompt import codes_of, guard_template
from train.generative.options import GUARD_PROMPT, AnswerRecipe

LEVELS = st.fixed_dictionaries({}, optional={c.name: st.integers(1, c.scale) for c in RTP_LX}).filter(bool)


def form_of(layout: Any = "chat", longest: int = 512, **recipe: Any) -> GuardForm:
    tokens = tokenizer(CHATML if layout == "chat" else None)
    end = end_of_answer(tokens, layout, {})
    tokens.chat_template = guard_template(tokens, RTP_LX, layout, GUARD_PROMPT, {})
    answer = AnswerRecipe(format="llama-guard", **recipe)
    return GuardForm(tokens, RTP_LX, answer, tokens.chat_template, end, longest)


def made(text: str, **more: Any) -> Item:
    return Item("i/1", text, "en", "made", "i/1", **more)


@given(levels=LEVELS, least=st.integers(2, 3))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_reader_of_codes_finds_what_reaches_its_level(levels: dict[str, int], least: int) -> None:
    form = form_of(unsafe_from=least)
    verdict, _, written = form.tokenizer.decode(form.answer(levels)[:-1]).partition("\n")
    expected = [name for name in RTP_LX.names if levels.get(name, 1) >= least]
    assert verdict == ("unsafe" if expected else "safe")
    codes = codes_of(RTP_LX)
    assert list(read_codes(written, codes.values()).known) == [codes[name] for name in expected]


def test_a_level_a_category_decides(chat_tokenizer: Any) -> None:
    form = form_of(unsafe_from={"Toxicity": 4})
    assert form.violated({"Toxicity": 3, "Insult": 2}) == ["Insult"]
    assert form.verdict({"Toxicity": 3, "Insult": 1}) == "safe"


def test_a_level_that_no_text_reaches_is_an_error() -> None:
    with pytest.raises(UserError, match="unsafe_from is above the highest level of IdentityAttack"):
        form_of(unsafe_from=4)


def test_only_what_an_item_covers_is_listed() -> None:
    form = form_of()
    whole = form.tokenizer.decode(form.ask(made("Good day."), RTP_LX.names).ids)
    part = form.tokenizer.decode(form.ask(made("Good day."), ("Insult",)).ids)
    assert "S1: Toxicity" in whole
    assert "S7: Insult" in whole
    assert "S7: Insult" in part
    assert "S1:" not in part


@pytest.mark.parametrize("layout", ["chat", "completion"])
def test_the_template_is_the_models_own_around_our_words(layout: Any) -> None:
    form = form_of(layout)
    turns = [{"role": "user", "content": "How do I bake bread?"}, {"role": "assistant", "content": "With flour."}]
    text = form.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    assert "user: How do I bake bread?" in text
    assert "Assess the last turn, by the assistant" in text
    if layout == "chat":
        assert text.startswith("<|im_start|>user\nAssess the last turn")
        assert text.endswith("<|im_end|>\n<|im_start|>assistant\n")
    else:
        assert text.startswith("<s>Assess the last turn")
        assert text.endswith("addressed to you.\n")


def test_a_completion_behind_its_prompt_is_asked_about_as_the_assistants_turn() -> None:
    form = form_of()
    item = made("With flour.", role=Role.COMPLETION, messages=(Message("user", "How do I bake bread?"),))
    assert "by the assistant, and no other" in form.tokenizer.decode(form.ask(item, RTP_LX.names).ids)


def test_a_long_text_leaves_room_for_the_answer() -> None:
    form = form_of(longest=400)
    asked = form.ask(made("word " * 2000), RTP_LX.names)
    assert asked.cut
    assert len(asked.ids) + form.longest_answer <= 400


def test_a_prompt_that_shows_no_turns_is_refused(tmp_path: Path, chat_tokenizer: Any) -> None:
    path = tmp_path / "prompt.j2"
    path.write_text("{% for c in listed %}{{ c.code }}{% endfor %}", encoding="utf-8")
    with pytest.raises(UserError, match="does not use 'messages'"):
        guard_template(chat_tokenizer, RTP_LX, "chat", path, {})
