"""Texts as tokens, in overlapping windows where they are longer than the model's window; never cut in silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from babelguard.errors import UserError

_UNLIMITED = 1_000_000
"""Tokenizers without a limit say a number beyond this."""

POSITIONS_AFTER_PADDING = frozenset({"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "xmod", "data2vec-text"})
"""Model types that count positions from behind the padding token's id, and so have fewer of them."""


def window_of(config: Any, tokenizer: Any, asked: int | None, model: str) -> int:  # noqa: ANN401 - of transformers
    """Return a model's window in tokens, special ones included.

    Args:
        config: The model's configuration.
        tokenizer: Its tokenizer.
        asked: What the recipe asks for; as much as the model takes if `None`.
        model: The model's name, for messages.

    Raises:
        UserError: The recipe asks for more than the model takes, or nobody says what it takes.
    """
    limits = []
    positions = getattr(config.get_text_config(), "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        behind = config.model_type in POSITIONS_AFTER_PADDING
        limits.append(positions - (config.pad_token_id + 1 if behind else 0))
    if tokenizer.model_max_length < _UNLIMITED:
        limits.append(tokenizer.model_max_length)
    if not limits and asked is None:
        raise UserError(f"Neither the model {model} nor its tokenizer says how much it takes; set window, in tokens.")
    longest = min(limits, default=asked or 0)
    if asked is not None and asked > longest:
        raise UserError(f"The model {model} takes {longest} tokens at once, not {asked}; set window to less.")
    return asked or longest


def cut(tokenizer: Any, texts: Sequence[str], window: int, overlap: int) -> list[list[list[int]]]:  # noqa: ANN401
    """Return each text's windows as token ids, special tokens included.

    Args:
        tokenizer: A fast tokenizer.
        texts: The texts; lone surrogates are read as U+FFFD.
        window: Tokens in a window, at most.
        overlap: Tokens that neighbouring windows share.
    """
    if not texts:
        return []
    encoded = tokenizer(
        [_encodable(text) for text in texts],
        truncation=True,
        max_length=window,
        stride=overlap,
        return_overflowing_tokens=True,
        return_attention_mask=False,
        return_token_type_ids=False,
    )
    windows: list[list[list[int]]] = [[] for _ in texts]
    for number, ids in zip(encoded["overflow_to_sample_mapping"], encoded["input_ids"], strict=True):
        windows[number].append(list(ids))
    return windows


def _encodable(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace") if _has_surrogates(text) else text


def _has_surrogates(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
