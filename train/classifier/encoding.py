"""Texts as tokens: encoded once, and cut into windows that keep the prefix and the special tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from serve.framed_tokenizer import FramedTokenizer

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
        openings: Text -> what opens its only window instead of `lead`, where its beginning changes how the tokenizer
            reads the prefix.
    """

    lead: Ids
    tail: Ids
    bodies: list[Ids]
    window: int
    openings: Mapping[int, Ids] = field(default_factory=dict)

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
        opening = np.full(len(self), len(self.lead), dtype=np.int64)
        for text, ids in self.openings.items():
            opening[text] = len(ids)
        return np.minimum(body, self.room) + opening + len(self.tail)

    @property
    def longer(self) -> int:
        """Number of texts that do not fit into one window."""
        return sum(len(ids) > self.room for ids in self.bodies)

    def cut(self, text: int, start: int = 0) -> Ids:
        """Return one window of a text, whose tokens begin at `start` of its body."""
        opening = self.openings.get(text, self.lead)
        return np.concatenate([opening, self.bodies[text][start : start + self.room], self.tail])

    def starts(self, text: int, overlap: int) -> range:
        """Return where the windows of a text begin that cover it whole, neighbours sharing `overlap` tokens."""
        beyond = max(0, len(self.bodies[text]) - self.room)
        step = max(1, self.room - overlap)
        return range(0, -(-beyond // step) * step + 1, step)


def encode_texts(tokenizer: Any, texts: Sequence[str], prefix: str, window: int) -> EncodedTexts:  # noqa: ANN401
    """Encode texts as the served guard will (`serve.windows.Encoder`).

    Args:
        tokenizer: `transformers.PreTrainedTokenizerBase`, a fast one.
        texts: The texts.
        prefix: What stands before each.
        window: Longest window in tokens.

    Raises:
        UserError: Prefix and special tokens leave no room for text.
    """
    try:
        framed = FramedTokenizer(tokenizer.backend_tokenizer.to_str(), prefix)
    except ValueError as error:
        raise UserError(f"The tokenizer of {tokenizer.name_or_path} is of no use ({error}); choose another.") from None
    if window - framed.frame < 1:
        raise UserError(
            f"A window of {window} tokens leaves no room for text beside {framed.frame} tokens of "
            "prefix and special tokens; raise model.window."
        )
    specials = len(framed.before) + len(framed.after)
    bodies: list[Ids] = []
    openings: dict[int, Ids] = {}
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        for reading in framed.read(texts[start : start + TEXTS_AT_ONCE]):
            own = reading.own
            if specials + len(reading.ids) <= window:
                own = len(framed.lead)
                if reading.ids[:own] != framed.lead:
                    openings[len(bodies)] = np.array([*framed.before, *reading.ids[:own]], dtype=np.int32)
            bodies.append(np.array(reading.ids[own:], dtype=np.int32))
    lead = np.array([*framed.before, *framed.lead], dtype=np.int32)
    return EncodedTexts(lead, np.array(framed.after, dtype=np.int32), bodies, window, openings)
