"""What ends an answer, and what pads a batch."""

from __future__ import annotations

from typing import Any

import pytest

from babelguard.errors import UserError
from train.generative.endings import end_of_answer, set_padding


def test_a_chat_answer_ends_with_the_token_behind_an_assistants_turn(chat_tokenizer: Any) -> None:
    assert end_of_answer(chat_tokenizer, "chat", {}) == chat_tokenizer.convert_tokens_to_ids("<|im_end|>")


def test_a_completion_ends_with_the_tokenizers_own_end(plain_tokenizer: Any) -> None:
    assert end_of_answer(plain_tokenizer, "completion", {}) == plain_tokenizer.convert_tokens_to_ids("</s>")


def test_a_tokenizer_without_an_end_is_told(plain_tokenizer: Any) -> None:
    plain_tokenizer.eos_token = None
    with pytest.raises(UserError, match="has no token that ends an answer; set its eos_token"):
        end_of_answer(plain_tokenizer, "completion", {})


def test_a_pad_token_of_its_own_is_kept(plain_tokenizer: Any) -> None:
    assert set_padding(plain_tokenizer, plain_tokenizer.eos_token_id) is None
    assert plain_tokenizer.pad_token == "<pad>"


@pytest.mark.parametrize("pad", [None, "</s>"])
def test_without_one_another_special_token_pads_and_never_the_end(plain_tokenizer: Any, pad: str | None) -> None:
    plain_tokenizer.pad_token = pad
    remark = set_padding(plain_tokenizer, plain_tokenizer.eos_token_id)
    assert remark is not None
    assert plain_tokenizer.pad_token_id not in (None, plain_tokenizer.eos_token_id)
