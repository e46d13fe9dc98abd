"""Texts as tokens: encoded once, and cut into windows that keep the prefix and the special tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError

TEXTS_AT_ONCE = 2_000

Ids = NDArray[np.int32]


@dataclass(frozen=True)
class EncodedTexts:
    """The tokens of many texts.

    Attributes:
        lead: Tokens that open every window: special ones and the prefix.
        tail: Tokens that close it.
        bodies: The tokens between, of each text.
        window: Longest window in tokens, `lead` and `tail` included.
    """

    lead: Ids
    tail: Ids
    bodies: list[Ids]
    window: int

    def __len__(self) -> int:
        return len(self.bodies)

    @property
    def room(self) -> int:
        """Tokens of a text that fit into a window."""
        return self.window - len(self.lead) - len(self.tail)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each text's first window, shape (texts,)."""
        body = np.array([len(ids) for ids in self.bodies], dtype=np.int64)
        return np.minimum(body, self.room) + len(self.lead) + len(self.tail)

    @property
    def longer(self) -> int:
        """Number of texts that do not fit into one window."""
        return sum(len(ids) > self.room for ids in self.bodies)

    def cut(self, text: int, start: int = 0) -> Ids:
        """Return one window of a text, whose tokens begin at `start` of its body."""
        return np.concatenate([self.lead, self.bodies[text][start : start + self.room], self.tail])

    def starts(self, text: int, overlap: int) -> range:
        """Return where the windows of a text begin that cover it whole, neighbours sharing `overlap` tokens."""
        beyond = max(0, len(self.bodies[text]) - self.room)
        step = max(1, self.room - overlap)
        return range(0, -(-beyond // step) * step + 1, step)


def encode_texts(tokenizer: Any, texts: Sequence[str], prefix: str, window: int) -> EncodedTexts:  # noqa: ANN401
    """Encode texts.

    Args:
        tokenizer: `transformers.PreTrainedTokenizerBase`, a fast one.
        texts: The texts.
        prefix: What stands before each.
        window: Longest window in tokens.

    Raises:
        UserError: Prefix and special tokens leave no room for text.
    """
    lead, tail = _frame(tokenizer, prefix)
    if window - len(lead) - len(tail) < 1:
        raise UserError(
            f"A window of {window} tokens leaves no room for text beside {len(lead) + len(tail)} tokens of "
            "prefix and special tokens; raise model.window."
        )
    bodies: list[Ids] = []
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        batch = [prefix + text for text in texts[start : start + TEXTS_AT_ONCE]]
        for ids, special, offsets in _encoded(tokenizer, batch):
            kept = [
                token
                for token, is_special, (_, end) in zip(ids, special, offsets, strict=True)
                if not is_special and end > len(prefix)
            ]
            bodies.append(np.array(kept, dtype=np.int32))
    return EncodedTexts(np.array(lead, np.int32), np.array(tail, np.int32), bodies, window)


def _encoded(tokenizer: Any, texts: list[str]) -> Iterator[tuple[list[int], list[int], list[tuple[int, int]]]]:  # noqa: ANN401
    # Longer than the model's own limit is no mistake here: texts are cut into windows afterwards.
    encoded = tokenizer(
        texts,
        truncation=False,
        padding=False,
        return_special_tokens_mask=True,
        return_offsets_mapping=True,
        return_attention_mask=False,
        verbose=False,
    )
    return zip(encoded["input_ids"], encoded["special_tokens_mask"], encoded["offset_mapping"], strict=True)


def _frame(tokenizer: Any, prefix: str) -> tuple[list[int], list[int]]:  # noqa: ANN401
    """Return the tokens before and after any text, read off a text that is encoded with its prefix."""
    ids, special, offsets = next(iter(_encoded(tokenizer, [prefix + "a"])))
    body = [
        place
        for place, (is_special, (_, end)) in enumerate(zip(special, offsets, strict=True))
        if not is_special and end > len(prefix)
    ]
    if not body:
        raise UserError(f"The tokenizer of {tokenizer.name_or_path} makes no token of plain letters; choose another.")
    return ids[: body[0]], ids[body[-1] + 1 :]
