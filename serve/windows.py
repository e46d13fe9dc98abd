"""Texts as token ids, in overlapping windows that cover every token, with the characters that each window shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from serve.framed_tokenizer import FramedTokenizer, Reading, Span

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text as the guard's model reads it.

    Attributes:
        windows: Token ids of each window, special tokens and prefix included; none for a text without a token.
        spans: For each window, first character and the one behind the last, in the text.
        tokens: Tokens of the text itself.
        replaced: Lone surrogates that were read as U+FFFD.
    """

    windows: tuple[Ids, ...]
    spans: tuple[Span, ...]
    tokens: int
    replaced: int


class Encoder:
    """Cuts texts into windows.

    A text that fits into one window has the very ids that the tokenizer makes of prefix and text. Of a longer one,
    window *i* begins at its token i * (room - overlap), whatever follows, and the prefix is put before each, so that a
    text that grows keeps its windows but the last one or two. A text of white space has no window.
    """

    def __init__(self, tokenizer: Path, *, window: int, overlap: int, prefix: str = "") -> None:
        """Open a tokenizer.

        Args:
            tokenizer: A `tokenizer.json`.
            window: Tokens in a window, at most, special ones and prefix included.
            overlap: Tokens of the text that neighbouring windows share.
            prefix: What is put before every window.

        Raises:
            UserError: The file is not a tokenizer, or special tokens, prefix and overlap leave a window no room.
        """
        try:
            self._tokenizer = FramedTokenizer(tokenizer.read_text(encoding="utf-8"), prefix)
        except (OSError, ValueError) as error:
            raise UserError(f"{tokenizer} is not a tokenizer.json that can be read ({error}).") from None
        self._room = window - self._tokenizer.frame
        self._stride = self._room - overlap
        if self._stride < 1:
            raise UserError(
                f"A window of {window} tokens leaves {self._room} for the text, and windows overlap by {overlap}; "
                "the guard needs a longer window or less overlap."
            )
        self._window = window

    @property
    def vocabulary(self) -> int:
        """Number of token ids, the highest plus one."""
        return self._tokenizer.vocabulary

    @property
    def room(self) -> int:
        """Tokens of a text that fit into one window."""
        return self._room

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Encode texts, several at a time on all cores."""
        readings = self._tokenizer.read(texts)
        return [self._cut(reading, len(text)) for reading, text in zip(readings, texts, strict=True)]

    def _cut(self, reading: Reading, length: int) -> Encoded:
        if reading.empty:
            return Encoded((), (), 0, reading.replaced)
        before, after = self._tokenizer.before, self._tokenizer.after
        spans = reading.spans[reading.own :]
        if len(before) + len(reading.ids) + len(after) <= self._window:
            window = np.array([*before, *reading.ids, *after], dtype=np.int64)
            return Encoded((window,), (self._shown(spans, length),), len(spans), reading.replaced)
        windows, shown = [], []
        for start in range(0, len(spans), self._stride):
            ids = reading.ids[reading.own + start : reading.own + start + self._room]
            windows.append(np.array([*before, *self._tokenizer.lead, *ids, *after], dtype=np.int64))
            shown.append(self._shown(spans[start : start + self._room], length))
            if start + self._room >= len(spans):
                break
        return Encoded(tuple(windows), tuple(shown), len(spans), reading.replaced)

    def _shown(self, spans: Sequence[Span], length: int) -> Span:
        """Return the characters of a text that some of its tokens stand for."""
        shift = len(self._tokenizer.prefix)
        first = min(max(min(start for start, _ in spans) - shift, 0), length)
        return first, min(max(max(end for _, end in spans) - shift, first), length)
