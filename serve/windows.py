"""Texts as token ids, in overlapping windows that cover every token, with the characters that each window shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError

Ids = NDArray[np.int64]
Span = tuple[int, int]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


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

    Window *i* of a text begins at its token i * (room - overlap), whatever follows, and the prefix is put before
    each, so that a text that grows keeps its windows but the last one or two. Special tokens that a text spells
    (``</s>``) are read as letters: what frames a window is ours alone. A text of white space has no window.
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
        from tokenizers import Tokenizer

        try:
            self._tokenizer: Any = Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # noqa: BLE001 - tokenizers raises nothing narrower
            raise UserError(f"{tokenizer} is not a tokenizer.json that can be read ({error}).") from None
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._tokenizer.encode_special_tokens = True
        self._spelled = self._spellings()
        self._prefix = prefix
        self._before, self._after = self._frame()
        self._room = window - len(self._before) - len(self._after)
        self._stride = self._room - overlap
        if self._stride < 1:
            raise UserError(
                f"A window of {window} tokens leaves {self._room} for the text, and windows overlap by {overlap}; "
                "the guard needs a longer window or less overlap."
            )

    @property
    def vocabulary(self) -> int:
        """Number of token ids, the highest plus one."""
        return 1 + max(self._tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)

    @property
    def room(self) -> int:
        """Tokens of a text that fit into one window."""
        return self._room

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Encode texts, several at a time on all cores."""
        readable, replaced = [], []
        for text in texts:
            clean, count = (text, 0) if text.isascii() else _LONE_SURROGATE.subn("\ufffd", text)
            readable.append(self._prefix + clean)
            replaced.append(count)
        encodings = self._tokenizer.encode_batch(readable, add_special_tokens=False)
        return [
            self._cut(*self._own_tokens(encoding, text), len(text) - len(self._prefix), count)
            for encoding, text, count in zip(encodings, readable, replaced, strict=True)
        ]

    def _own_tokens(self, encoding: Any, text: str) -> tuple[list[int], list[Span]]:  # noqa: ANN401 - no types
        """Return the tokens behind the prefix with the characters that each stands for, in the prefixed text."""
        if not text[len(self._prefix) :].strip():
            return [], []
        ids: list[int] = encoding.ids
        offsets: list[Span] = encoding.offsets
        own = next((n for n, (_, end) in enumerate(offsets) if end > len(self._prefix)), len(ids))
        ids, offsets = ids[own:], offsets[own:]
        if self._spelled.keys().isdisjoint(ids):
            return ids, offsets
        spelled = [(self._spelled.get(token, [token]), span) for token, span in zip(ids, offsets, strict=True)]
        return [n for letters, _ in spelled for n in letters], [span for letters, span in spelled for _ in letters]

    def _cut(self, ids: list[int], offsets: list[Span], length: int, replaced: int) -> Encoded:
        windows, spans = [], []
        for start in range(0, len(ids), self._stride):
            end = min(start + self._room, len(ids))
            windows.append(np.array([*self._before, *ids[start:end], *self._after], dtype=np.int64))
            shown = offsets[start:end]
            spans.append(_inside(min(a for a, _ in shown), max(b for _, b in shown), len(self._prefix), length))
            if end == len(ids):
                break
        return Encoded(tuple(windows), tuple(spans), len(ids), replaced)

    def _spellings(self) -> dict[int, list[int]]:
        """Return for each special token the tokens of its letters.

        Many vocabularies hold special tokens as ordinary pieces too, so that the tokenizer alone cannot be told to
        leave them.
        """
        special = {n: each.content for n, each in self._tokenizer.get_added_tokens_decoder().items() if each.special}
        unknown = next((n for n, content in special.items() if content in {"<unk>", "[UNK]"}), None)
        if unknown is not None:
            del special[unknown]  # it stands for what the vocabulary lacks, in any text
        letters = {letter: self._tokenizer.token_to_id(letter) for letter in "".join(special.values())}
        known = {a: n if n is not None else unknown for a, n in letters.items()}
        return {n: [i for a in content if (i := known[a]) is not None] for n, content in special.items()}

    def _frame(self) -> tuple[list[int], list[int]]:
        """Return the ids that stand before and behind the text in every window: special tokens and the prefix."""
        sample = self._tokenizer.encode("a", add_special_tokens=True)
        mask: list[int] = sample.special_tokens_mask
        first = next((n for n, special in enumerate(mask) if not special), len(mask))
        last = next((n for n in range(len(mask), first, -1) if not mask[n - 1]), first)
        prefixed = self._tokenizer.encode(self._prefix + "a", add_special_tokens=False)
        of_prefix = [n for n, (_, end) in zip(prefixed.ids, prefixed.offsets, strict=True) if end <= len(self._prefix)]
        return [*sample.ids[:first], *of_prefix], list(sample.ids[last:])


def _inside(start: int, end: int, shift: int, length: int) -> Span:
    first = min(max(start - shift, 0), length)
    return first, min(max(end - shift, first), length)
