"""Cuts a text that is longer than a guard reads at once into overlapping windows; nothing of it is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_BYTES_A_CHARACTER = 4
OVERLAP = 8
"""Neighbouring windows share one part in this many."""


def windows(text: str, room: int, tokenizer: Any) -> Sequence[str]:  # noqa: ANN401 - a transformers tokenizer
    """Return the text in windows of at most `room` tokens each; the text itself if it fits.

    Args:
        text: The text.
        room: Tokens that a window may have, at least 1.
        tokenizer: `transformers.PreTrainedTokenizerBase`.
    """
    if _BYTES_A_CHARACTER * len(text) <= room:  # no tokenizer makes more tokens than there are bytes
        return [text]
    ends = _token_ends(text, tokenizer)
    if len(ends) <= room:
        return [text]
    step = max(1, room - room // OVERLAP)
    cut = []
    for first in range(0, len(ends), step):
        last = min(first + room, len(ends))
        begin = ends[first - 1] if first else 0
        cut.append(text[begin : ends[last - 1]] if last < len(ends) else text[begin:])
        if last == len(ends):
            break
    return [window for window in cut if window]


def _token_ends(text: str, tokenizer: Any) -> Sequence[int]:  # noqa: ANN401 - a transformers tokenizer
    """Return where each token ends in the text; where the tokenizer does not say, as if each byte were one."""
    if not tokenizer.is_fast:
        return [end for end, character in enumerate(text, start=1) for _ in character.encode("utf-8")]
    spans = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    return [max(end, 1) for _, end in spans]
