"""A tokenizer with what frames every window: special tokens and a prefix. Training and serving read texts by it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Span = tuple[int, int]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Reading:
    """The tokens of a prefixed text.

    Attributes:
        ids: Token ids of prefix and text together, without the special tokens of the frame.
        spans: First character of each token and the one behind its last, in the prefixed text.
        own: How many tokens open `ids` that are the prefix's.
        empty: Whether the text is white space, or reads as no text at all does.
        replaced: Lone surrogates that were read as U+FFFD.
    """

    ids: list[int]
    spans: list[Span]
    own: int
    empty: bool
    replaced: int


class FramedTokenizer:
    """Reads texts behind a prefix.

    Prefix and text are tokenised together: where one word ends decides how the next one begins, so that ids of a text
    by itself can differ from those that it has behind a prefix. Special tokens that a text spells (``</s>``) are read
    as letters: what frames a window is ours alone.

    Attributes:
        prefix: What is put before every text.
        before: Special tokens that open a window.
        lead: Tokens of the prefix, as nearly every text leaves them.
        after: Special tokens that close a window.
    """

    def __init__(self, definition: str, prefix: str = "") -> None:
        """Take a tokenizer.

        Args:
            definition: The content of a `tokenizer.json`.
            prefix: What is put before every text.

        Raises:
            ValueError: It is no tokenizer, or one that makes no token of plain letters.
        """
        from tokenizers import Tokenizer

        try:
            self._tokenizer: Any = Tokenizer.from_str(definition)
        except Exception as error:  # noqa: BLE001 - tokenizers raises nothing narrower
            raise ValueError(str(error)) from None
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._tokenizer.encode_special_tokens = True
        self._spelled = self._spellings()
        self.prefix = prefix
        self.before, self.after = self._specials()
        prefixed = self._tokenizer.encode(prefix + "a", add_special_tokens=False)
        self.lead: list[int] = [
            n for n, (_, end) in zip(prefixed.ids, prefixed.offsets, strict=True) if end <= len(prefix)
        ]
        if len(self.lead) == len(prefixed.ids):
            raise ValueError("it makes no token of the letter a")
        self._nothing: list[int] = self._tokenizer.encode(prefix, add_special_tokens=False).ids

    @property
    def vocabulary(self) -> int:
        """Number of token ids, the highest plus one."""
        return 1 + max(self._tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)

    @property
    def frame(self) -> int:
        """Tokens of a window that are not the text's own, as nearly every text leaves them."""
        return len(self.before) + len(self.lead) + len(self.after)

    def read(self, texts: Sequence[str]) -> list[Reading]:
        """Tokenise texts behind the prefix, several at a time on all cores."""
        prefixed, replaced = [], []
        for text in texts:
            clean, count = (text, 0) if text.isascii() else _LONE_SURROGATE.subn("\ufffd", text)
            prefixed.append(self.prefix + clean)
            replaced.append(count)
        encodings = self._tokenizer.encode_batch(prefixed, add_special_tokens=False)
        return [
            self._reading(encoding.ids, encoding.offsets, not text.strip(), count)
            for encoding, text, count in zip(encodings, texts, replaced, strict=True)
        ]

    def _reading(self, ids: list[int], spans: list[Span], blank: bool, replaced: int) -> Reading:
        empty = blank or ids == self._nothing
        own = len(self.lead)
        if ids[:own] != self.lead:
            # The text's beginning has changed how the prefix is read.
            own = next((n for n, (_, end) in enumerate(spans) if end > len(self.prefix)), len(ids))
        if not self._spelled.keys().isdisjoint(ids[own:]):
            letters = [self._spelled.get(token, [token]) for token in ids[own:]]
            spans = spans[:own] + [span for each, span in zip(letters, spans[own:], strict=True) for _ in each]
            ids = ids[:own] + [token for each in letters for token in each]
        return Reading(ids, spans, own, empty or own == len(ids), replaced)

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

    def _specials(self) -> tuple[list[int], list[int]]:
        sample = self._tokenizer.encode("a", add_special_tokens=True)
        mask: list[int] = sample.special_tokens_mask
        first = next((n for n, special in enumerate(mask) if not special), len(mask))
        last = next((n for n in range(len(mask), first, -1) if not mask[n - 1]), first)
        return list(sample.ids[:first]), list(sample.ids[last:])
