"""Texts as they are compared with block lists: NFKC, then case folded, as UTF-8, fast.

`unicodedata` normalises Chinese or Hindi at some 15 MB/s, for one full-width comma makes it rewrite the whole text.
Here an automaton finds the characters that folding changes, and only those are touched, each together with the marks
that follow it.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

_PARTS_OF_UNICODE = (
    (0x80, 0x3400),
    (0x4DC0, 0x4E00),
    (0xA000, 0xAC00),
    (0xD7A4, 0xD800),
    (0xE000, 0x20000),
    (0x2F800, 0x30000),
    (0xE0000, 0xE0200),
)
"""Left out are ASCII, unified ideographs, Hangul syllables and surrogates, all of which stay as they are."""


def fold(text: str) -> str:
    """Return the text as it is compared: NFKC, then case folded."""
    return unicodedata.normalize("NFKC", text).casefold()


@cache
def folding() -> Folding:
    """Return the folding of this Python's Unicode version; to find its characters takes a moment, once."""
    return Folding.of_unicode()


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text and the way back to the original.

    Attributes:
        original: The text as it came.
        data: The folded text in UTF-8 (lone surrogates as they are).
        aligned: Whether character n of the folded text comes from character n of the original, for every n.
    """

    original: str
    data: bytes
    aligned: bool

    def spans(self, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return, for parts of `data`, the code points of the original that they come from.

        Args:
            places: Where the parts begin and end, in bytes, end exclusive.

        Returns:
            Begin and end in code points, end exclusive, in the order of `places`.
        """
        if self.original.isascii():
            return list(places)
        points = _code_points(self.data, {at for place in places for at in place})
        if self.aligned:
            return [(points[start], points[end]) for start, end in places]
        origins = Origins.of(self.original)
        return [(origins.of_point(points[start])[0], origins.of_point(points[end] - 1)[1]) for start, end in places]


@dataclass(frozen=True)
class Folding:
    """Folds texts quickly.

    A character leans when it moves or composes with what stands before it, or turns into one that does.

    Attributes:
        odd: Automaton of the characters beyond ASCII that folding changes, or that lean.
        found: What the automaton finds, in its order.
        folded: What replaces it where it stands alone.
        leans: Whether it leans.
        quiet: Whether it leans and yet stays as it is after a character that does not: a virama, an Arabic vowel.
        kept: Whether it folds to exactly one character.
    """

    odd: Any
    found: tuple[bytes, ...]
    folded: tuple[bytes, ...]
    leans: tuple[bool, ...]
    quiet: tuple[bool, ...]
    kept: tuple[bool, ...]

    @classmethod
    def of_unicode(cls) -> Folding:
        """Look at every character of Unicode."""
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        moving, composing = _moving_and_composing()
        acting = moving | composing
        odd = [character for character in _characters() if character in acting or fold(character) != character]
        found = tuple(character.encode("utf-8") for character in odd)
        return cls(
            odd=BytesAhoCorasick(found, implementation=Implementation.DFA),
            found=found,
            folded=tuple(fold(character).encode("utf-8") for character in odd),
            leans=tuple(not acting.isdisjoint(unicodedata.normalize("NFKC", character)) for character in odd),
            quiet=tuple(c in moving and c not in composing and fold(c) == c for c in odd),
            kept=tuple(len(fold(character)) == 1 for character in odd),
        )

    def __call__(self, text: str) -> FoldedText:
        """Fold a text; the same as `fold`, as bytes."""
        if text.isascii():
            return FoldedText(text, text.lower().encode("ascii"), aligned=True)
        data = lowered(text)
        hits = self.odd.find_matches_as_indexes(data)
        kinds = {hit[0] for hit in hits}
        if not any(map(self.leans.__getitem__, kinds)):
            for kind in kinds:
                data = data.replace(self.found[kind], self.folded[kind])
            return FoldedText(text, data, aligned=all(map(self.kept.__getitem__, kinds)))
        pieces, reached = [], 0
        for start, end, piece in self.changes(data, hits):
            pieces += [data[reached:start], piece]
            reached = end
        if not pieces:
            return FoldedText(text, data, aligned=True)
        pieces.append(data[reached:])
        return FoldedText(text, b"".join(pieces), aligned=False)

    def changes(self, data: bytes, hits: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, bytes]]:
        """Yield begin, end and folded form of every part that folding changes.

        Args:
            data: A text in UTF-8, its ASCII letters small.
            hits: What `odd` finds in it.
        """
        number, count = 0, len(hits)
        while number < count:
            kind, start, end = hits[number]
            number += 1
            first = number
            while number < count and hits[number][1] == end and self.leans[hits[number][0]]:
                end = hits[number][2]
                number += 1
            if first == number:
                if not self.leans[kind]:
                    yield start, end, self.folded[kind]
                    continue
                if self.quiet[kind]:
                    continue
            if self.leans[kind]:
                start = start_of_character(data, start)
            part = data[start:end].decode("utf-8", "surrogatepass")
            yield start, end, fold(part).encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Origins:
    """For each code point of a folded text, the original's code points that it came from.

    Attributes:
        begins: Where the changed parts begin in the folded text.
        parts: For each: its end in the folded text, and its begin and end in the original.
    """

    begins: list[int]
    parts: list[tuple[int, int, int]]

    @classmethod
    def of(cls, text: str) -> Origins:
        """Fold a text again, and note what became of what."""
        data = lowered(text)
        begins, parts = [], []
        reached, original, folded = 0, 0, 0
        for start, end, piece in folding().changes(data, folding().odd.find_matches_as_indexes(data)):
            same = _length(data[reached:start])
            original, folded = original + same, folded + same
            begins.append(folded)
            folded += _length(piece)
            parts.append((folded, original, original + _length(data[start:end])))
            original = parts[-1][2]
            reached = end
        return cls(begins, parts)

    def of_point(self, position: int) -> tuple[int, int]:
        """Return begin and end, in the original, of what became the folded text's code point at `position`."""
        number = bisect_right(self.begins, position) - 1
        if number < 0:
            return position, position + 1
        folded_end, start, end = self.parts[number]
        if position < folded_end:
            return start, end
        return end + position - folded_end, end + position - folded_end + 1


def lowered(text: str) -> bytes:
    """Return a text in UTF-8, its ASCII letters small."""
    return text.encode("utf-8", "surrogatepass").lower()


def start_of_character(data: bytes, end: int) -> int:
    """Return where the UTF-8 character begins that ends before `end`; 0 where there is none."""
    start = max(end - 1, 0)
    while start > 0 and data[start] & 0xC0 == 0x80:
        start -= 1
    return start


def _code_points(data: bytes, places: set[int]) -> dict[int, int]:
    """Return the code points before each of some places in `data`, in one pass."""
    counted, reached, points = 0, 0, {}
    for at in sorted(places):
        counted += _length(data[reached:at])
        reached = at
        points[at] = counted
    return points


def _length(data: bytes) -> int:
    return len(data.decode("utf-8", "surrogatepass"))


def _characters() -> Iterator[str]:
    return map(chr, chain.from_iterable(range(*part) for part in _PARTS_OF_UNICODE))


def _moving_and_composing() -> tuple[frozenset[str], frozenset[str]]:
    """Return the characters that move among their like, and those that compose with what stands before them."""
    moving = {character for character in _characters() if unicodedata.combining(character)}
    composing = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for character in _characters():
        parts = unicodedata.decomposition(character).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            composing.add(chr(int(parts[1], 16)))
    return frozenset(moving), frozenset(composing)
