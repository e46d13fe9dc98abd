"""What a guard is shown of an item."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard.item import Item, Message, Role
from evaluation.guarding.conversation import exchange_of
from tests.evaluation.guarding.tiny_guards import item

UNKNOWN = ("the prompt is not known: rated as a user's turn",)


def test_a_prompt_is_the_users_turn() -> None:
    found = exchange_of(item(1, "  a\n"))
    assert (found.texts, found.target, found.roles, found.remarks) == (("a",), "prompt", ("user",), ())


@pytest.mark.parametrize("role", [Role.RESPONSE, Role.COMPLETION, Role.BENIGN_COMPLETION])
def test_a_response_is_rated_behind_its_prompt(role: Role) -> None:
    found = exchange_of(item(1, "b", "a", role=role))
    assert (found.texts, found.target, found.roles) == (("a", "b"), "response", ("user", "assistant"))


def test_a_response_to_an_unknown_prompt_is_rated_as_a_users_turn_and_says_so() -> None:
    found = exchange_of(item(1, "b", role=Role.COMPLETION))
    assert (found.texts, found.target, found.remarks) == (("b",), "prompt", UNKNOWN)


def test_or_as_the_answer_to_an_empty_turn() -> None:
    found = exchange_of(item(1, "b", role=Role.COMPLETION), without_prompt="empty-prompt")
    assert (found.texts, found.target) == (("", "b"), "response")
    assert found.remarks == ("the prompt is not known: rated as the answer to an empty turn",)


def test_a_conversation_is_rated_by_its_last_turn() -> None:
    turns = (Message("user", "a"), Message("assistant", "b"), Message("user", "c"))
    found = exchange_of(Item("i", "", "en", "s", "s/1", messages=turns))
    assert (found.texts, found.target) == (("a", "b", "c"), "prompt")


def test_a_text_that_repeats_the_last_turn_is_no_turn_of_its_own() -> None:
    turns = (Message("user", "a"), Message("assistant", "b"))
    assert exchange_of(Item("i", "b", "en", "s", "s/1", messages=turns)).texts == ("a", "b")


def test_only_the_last_pair_is_shown_where_a_guard_knows_no_more() -> None:
    found = exchange_of(item(1, "d", "a", "b", "c", role=Role.RESPONSE), "last-pair")
    assert (found.texts, found.target) == (("c", "d"), "response")
    assert found.remarks == ("2 earlier turns are not shown to this guard",)


def test_neighbouring_turns_of_one_speaker_become_one_and_others_are_left_out() -> None:
    turns = (Message("system", "x"), Message("user", "a"), Message("user", "b"))
    found = exchange_of(Item("i", "", "en", "s", "s/1", messages=turns))
    assert found.texts == ("a\n\nb",)
    assert found.remarks == ("turns of other speakers than user and assistant are not shown",)


def test_lone_surrogates_become_a_replacement_character_and_are_told() -> None:
    found = exchange_of(item(1, "a\ud800b"))
    assert found.texts == ("a\ufffdb",)
    assert found.remarks == ("lone surrogates are shown as U+FFFD",)


ROLES = st.sampled_from(["user", "assistant", "system", "tool", "model"])
TURNS = st.lists(st.builds(Message, ROLES, st.text(max_size=5)), max_size=6)


@given(TURNS, st.text(max_size=5), st.sampled_from(Role))
def test_every_item_is_an_alternating_conversation_that_the_user_begins(
    turns: list[Message], text: str, role: Role
) -> None:
    found = exchange_of(Item("i", text, "en", "s", "s/1", role=role, messages=tuple(turns)))
    assert found.texts
    assert found.roles[0] == "user"
    assert found.target == ("response" if len(found.texts) > 1 and found.roles[-1] == "assistant" else "prompt")
