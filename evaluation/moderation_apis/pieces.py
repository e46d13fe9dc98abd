"""Long texts in overlapping pieces, none longer than a service takes."""

from __future__ import annotations

OVERLAP = 10
"""A piece begins this share (one in ten) of its length before the end of the one before it."""
_UTF8_CONTINUATION = 0b10


def pieces_of(text: str, longest: int, in_bytes: bool = False) -> list[str]:
    """Return a text as overlapping pieces, in order; a short text is one piece.

    Args:
        text: Valid Unicode.
        longest: Most characters (code points) of a piece, or most bytes of it in UTF-8; at least 40.
        in_bytes: Whether `longest` counts bytes.
    """
    if not in_bytes:
        return [text[start:end] for start, end in _spans(len(text), longest)]
    encoded = text.encode("utf-8")
    found = []
    for start, end in _spans(len(encoded), longest - 3):  # a character has up to four bytes
        found.append(encoded[_boundary(encoded, start) : _boundary(encoded, end)].decode("utf-8"))
    return found


def _spans(length: int, longest: int) -> list[tuple[int, int]]:
    step = longest - longest // OVERLAP
    spans = [(0, min(length, longest))]
    while spans[-1][1] < length:
        start = spans[-1][0] + step
        spans.append((start, min(length, start + longest)))
    return spans


def _boundary(encoded: bytes, place: int) -> int:
    """Return the first place from `place` on at which a character begins."""
    while place < len(encoded) and encoded[place] >> 6 == _UTF8_CONTINUATION:
        place += 1
    return place
