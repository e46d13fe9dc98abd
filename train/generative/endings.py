"""The token that ends an answer, and the one that pads a batch."""

from __future__ import annotations

from typing import Any

from babelguard.errors import UserError
from babelguard.local_models.encoding import control_tokens
from evaluation.guarding.layout import holder
from evaluation.judging.layout import Layout


def end_of_answer(tokenizer: Any, layout: Layout, options: dict[str, Any]) -> int:  # noqa: ANN401 - a tokenizer
    """Return the id of the token with which an answer ends.

    In a chat it is what the chat template puts behind an assistant's turn, since that is where generation stops; else
    the tokenizer's own end.

    Raises:
        UserError: There is none.
    """
    if layout == "chat":
        turns = [{"role": "user", "content": holder(0)}, {"role": "assistant", "content": holder(1)}]
        text: str = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=False, **options)
        behind = text.rpartition(holder(1))[2]
        places = {behind.find(token): token for token in control_tokens(tokenizer) if token in behind}
        if places:
            return int(tokenizer.get_added_vocab()[places[min(places)]])
    if tokenizer.eos_token_id is None:
        raise UserError(
            f"The tokenizer of {tokenizer.name_or_path} has no token that ends an answer; set its eos_token in "
            "tokenizer_config.json."
        )
    return int(tokenizer.eos_token_id)


def set_padding(tokenizer: Any, end: int) -> str | None:  # noqa: ANN401 - a transformers tokenizer
    """Give a tokenizer without a pad token one that it has, and return a remark; `None` if it had one.

    Padding is masked and has no label, so which token it is does not matter, but it must not be the answer's end: a
    trainer that masks pad tokens by id would hide the end.

    Args:
        tokenizer: `transformers.PreTrainedTokenizerBase`.
        end: Id of the token that ends an answer.

    Raises:
        UserError: It has no other special token to pad with.
    """
    if tokenizer.pad_token_id is not None and tokenizer.pad_token_id != end:
        return None
    candidates = [tokenizer.unk_token, tokenizer.eos_token, tokenizer.bos_token, *sorted(control_tokens(tokenizer))]
    for token in candidates:
        if token is not None and tokenizer.convert_tokens_to_ids(token) != end:
            had = "has no pad token" if tokenizer.pad_token_id is None else "pads with the token that ends an answer"
            tokenizer.pad_token = token
            return f"The tokenizer of {tokenizer.name_or_path} {had}; batches are padded with {token!r}."
    raise UserError(
        f"The tokenizer of {tokenizer.name_or_path} has no pad token, and no special token beside the one that ends an "
        "answer; add a pad token to tokenizer_config.json."
    )
