"""Character n-grams of many texts at once, as hashes: what near-duplicates share.

Texts are compared after compatibility composition and case folding, with every run of separators and punctuation as
one space and format characters left out; letters, marks, digits and symbols (emoji among them) stay. An n-gram has
five characters, or three where it begins in a script that writes words in one or two (Han, Kana, Hangul).
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

ALPHABETIC, DENSE = 5, 3
"""Characters in an n-gram."""

_DROP, _SPACE, _KEEP, _KEEP_DENSE = 0, 1, 2, 3
_DENSE_RANGES = (
    (0x1100, 0x11FF),
    (0x2E80, 0x30FF),
    (0x3130, 0x318F),
    (0x31C0, 0x9FFF),
    (0xAC00, 0xD7FF),
    (0x20000, 0x3FFFF),
)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def fold(text: str) -> str:
    """Return the text as it is compared, before separators are folded."""
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold()


def shingle_hashes(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Hash the n-grams of every text.

    Args:
        texts: Texts of any length. One shorter than an n-gram is a single n-gram, padded with spaces.

    Returns:
        The hashes of all texts, one after the other, and the places where each text's begin and end, shape
        (texts + 1,). Repeated n-grams are repeated; a text of separators alone has none.
    """
    codes, owners = _characters(texts)
    classes = _classes()[codes]
    kept = classes != _DROP
    codes, owners, classes = codes[kept], owners[kept], classes[kept]
    codes = np.where(classes == _SPACE, np.uint32(32), codes)
    same = np.zeros(len(codes), dtype=bool)
    same[1:] = (classes[1:] == _SPACE) & (classes[:-1] == _SPACE) & (owners[1:] == owners[:-1])
    codes, owners, classes = codes[~same], owners[~same], classes[~same]
    edge = (classes == _SPACE) & (_first_of(owners) | _last_of(owners))
    codes, owners, classes = codes[~edge], owners[~edge], classes[~edge]
    hashes, valid = _grams(codes, owners, classes)
    counts = np.bincount(owners[valid], minlength=len(texts))
    return hashes[valid], np.concatenate([[0], np.cumsum(counts)])


def _characters(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    folded = [fold(text) for text in texts]
    lengths = np.fromiter((len(text) for text in folded), np.int64, len(folded))
    codes = np.frombuffer("".join(folded).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)
    return codes, np.repeat(np.arange(len(folded)), lengths)


def _first_of(owners: NDArray[np.int64]) -> NDArray[np.bool_]:
    first = np.ones(len(owners), dtype=bool)
    first[1:] = owners[1:] != owners[:-1]
    return first


def _last_of(owners: NDArray[np.int64]) -> NDArray[np.bool_]:
    last = np.ones(len(owners), dtype=bool)
    last[:-1] = owners[1:] != owners[:-1]
    return last


def _grams(
    codes: NDArray[np.uint32], owners: NDArray[np.int64], classes: NDArray[np.uint8]
) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Hash the n-gram that begins at each character; say where one begins that does not run over the text's end."""
    n = len(codes)
    if not n:
        return np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=bool)
    lengths = np.where(classes == _KEEP_DENSE, DENSE, ALPHABETIC)
    starts = np.flatnonzero(_first_of(owners))
    ends = np.append(starts[1:], n)
    end_of = np.repeat(ends, ends - starts)
    position = np.arange(n)
    valid = position + lengths <= end_of
    covered = np.logical_or.reduceat(valid, starts)
    valid[starts[~covered]] = True  # a text shorter than its n-grams is one n-gram
    mixed = np.zeros(n, dtype=np.uint64)
    for step in range(ALPHABETIC):
        at = position + step
        inside = (step < lengths) & (at < end_of)
        character = np.where(inside, codes[np.minimum(at, n - 1)], np.uint32(32)).astype(np.uint64)
        mixed = (mixed ^ character) * _MULTIPLIER
        mixed ^= mixed >> np.uint64(29)
    return (mixed >> np.uint64(32)).astype(np.uint32), valid


@cache
def _classes() -> NDArray[np.uint8]:
    """Return the class of every code point; made at the first use, in a third of a second."""
    by_category = {"C": _DROP, "Z": _SPACE, "P": _SPACE}
    classes = np.fromiter(
        (by_category.get(unicodedata.category(chr(code))[0], _KEEP) for code in range(sys.maxunicode + 1)),
        np.uint8,
        sys.maxunicode + 1,
    )
    classes[[ord(c) for c in "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85"]] = _SPACE
    for low, high in _DENSE_RANGES:
        block = classes[low : high + 1]
        block[block == _KEEP] = _KEEP_DENSE
    return classes
