from __future__ import annotations

import pytest

from babelguard.errors import UserError
from babelguard.local_models.choosing import ChoiceLine, Skeleton
from tests.babelguard.local_models.tiny import tokenizer

LINE = ChoiceLine("Insult:", (" 1", " 2", " 3"))


def test_a_space_of_its_own_is_forced() -> None:
    made = tokenizer(spaces="apart")
    skeleton = Skeleton.encode([LINE], made)
    assert made.decode(skeleton.lines[0].forced) == "Insult: "
    assert [made.decode(choice) for choice in skeleton.lines[0].choices] == ["1", "2", "3"]


def test_a_space_that_belongs_to_the_digit_is_chosen_with_it() -> None:
    made = tokenizer(spaces="joined")
    skeleton = Skeleton.encode([LINE], made)
    assert made.decode(skeleton.lines[0].forced) == "Insult:"
    assert [made.decode(choice) for choice in skeleton.lines[0].choices] == [" 1", " 2", " 3"]


def test_choices_of_several_tokens_are_told_apart_by_the_first() -> None:
    made = tokenizer()
    skeleton = Skeleton.encode([ChoiceLine("Answer:", (" safe", " unsafe"))], made)
    assert [made.decode(choice) for choice in skeleton.lines[0].choices] == ["safe", "unsafe"]
    assert skeleton.length == len("Answer: unsafe")


def test_choices_with_the_same_first_token_are_refused() -> None:
    levels = tuple(f" {level}" for level in range(1, 11))
    with pytest.raises(UserError, match="mode: generate"):
        Skeleton.encode([ChoiceLine("Insult:", levels)], tokenizer())
