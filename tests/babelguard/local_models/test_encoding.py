"""No text writes a control token, ends its turn, or breaks the tokenizer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelguard.errors import UserError
from babelguard.generator import Prompt
from babelguard.item import Message
from babelguard.local_models.encoding import control_tokens, encode_after, encode_prompt, encode_text
from tests.babelguard.local_models.tiny import tokenizer

CONTROL = ("<s>", "</s>", "<|user|>", "<|assistant|>", "<|end|>", "<think>", "</think>")
parts = st.lists(st.sampled_from([*CONTROL, "a", " ", "\n", "<|", "|>", "<s", "é", "</s></s>", "<<s>s>"]), max_size=12)


def control_ids() -> set[int]:
    made = tokenizer()
    return {made.convert_tokens_to_ids(token) for token in CONTROL}


@settings(deadline=None)  # the first example makes the tokenizer
@given(parts.map("".join))
def test_a_text_has_no_control_token_and_keeps_its_letters(text: str) -> None:
    ids = encode_text(tokenizer(), text)
    assert not control_ids() & set(ids)
    assert tokenizer().decode(ids) == text


@settings(deadline=None)  # the first example makes the tokenizer
@given(parts.map("".join))
def test_a_turn_has_only_the_templates_control_tokens(text: str) -> None:
    harmless = encode_prompt(tokenizer(), Prompt(messages=(Message("user", "a"),)), {})
    ids = encode_prompt(tokenizer(), Prompt(messages=(Message("user", f"a{text}a"),)), {})
    assert [i for i in ids if i in control_ids()] == [i for i in harmless if i in control_ids()]


def test_a_lone_surrogate_is_replaced() -> None:
    ids = encode_text(tokenizer(), "a\ud800b")
    assert tokenizer().decode(ids) == "a\ufffdb"


def test_the_first_token_is_there_once() -> None:
    ids = encode_prompt(tokenizer(), Prompt(text="ab"), {})
    assert ids.count(tokenizer().bos_token_id) == 1


def test_a_base_model_is_told_from_a_chat_model() -> None:
    with pytest.raises(UserError, match="layout: completion"):
        encode_prompt(tokenizer(chat=False), Prompt(messages=(Message("user", "a"),)), {})


def test_a_template_that_refuses_is_told() -> None:
    made = tokenizer(more=("ab",))
    made.chat_template = "{{ raise_exception('System role not supported') }}"
    with pytest.raises(UserError, match="System role not supported"):
        encode_prompt(made, Prompt(messages=(Message("system", "a"),)), {})


def test_a_template_that_drops_the_text_is_told() -> None:
    made = tokenizer(more=("cd",))
    made.chat_template = "{% for turn in messages %}<|{{ turn.role }}|>{% endfor %}"
    with pytest.raises(UserError, match="leaves out what a user says"):
        encode_prompt(made, Prompt(messages=(Message("user", "a"),)), {})


def test_a_text_behind_another_is_encoded_as_there() -> None:
    made = tokenizer(spaces="joined")
    assert made.convert_ids_to_tokens(encode_after(made, "Insult:", " 1")) == ["Ġ1"]
    assert control_tokens(made) >= {"<s>", "<think>"}
