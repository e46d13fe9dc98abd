"""Transliteration word by word, each word asked for once, and the signs between the words with it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import regex

from data_prep.register import Edit, chosen

_FULL_WIDTH = frozenset("，、。！？；：）」』")
_SIGNS = {
    **dict(zip("，、。！？；：（）「」『』", ",,.!?;:()\"\"''", strict=True)),
    **dict(zip("؟،؛۔।॥", "?,;...", strict=True)),
}
_SIGN = regex.compile(f"[{''.join(_SIGNS)}]")


def word_edits(
    text: str, pattern: regex.Pattern[str], write: Callable[[str], str], strength: float, rng: Random
) -> list[Edit]:
    """Return the edits that write a share of the words in another script.

    Args:
        text: The text.
        pattern: Finds the words of the script that is left.
        write: Word -> the same in the other script; it should remember what it was asked.
        strength: The share of words.
        rng: Chooses them.
    """
    kept = chosen([(m.start(), m.end(), m.group()) for m in pattern.finditer(text)], strength, rng)
    if not kept:
        return []
    written = [(start, end, write(word)) for start, end, word in kept]
    signs = [_sign(text, m.start(), m.end()) for m in _SIGN.finditer(text) if strength >= 1 or rng.random() < strength]
    return sorted(written + signs)


def _sign(text: str, start: int, end: int) -> Edit:
    """Return the Latin sign, with the space that it needs where the other script's sign had its own."""
    sign = text[start:end]
    spaced = sign in _FULL_WIDTH and end < len(text) and not text[end].isspace() and not _SIGN.match(text, end)
    return (start, end, _SIGNS[sign] + (" " if spaced else ""))
