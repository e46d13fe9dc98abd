"""Texts as they are compared with block lists: NFKC, then case folded, as UTF-8, fast.

`unicodedata` normalises Chinese or Hindi at some 15 MB/s, for one full-width comma makes it rewrite the whole text. So
an automaton first finds the characters that folding changes. Where none of them acts on its neighbours, each kind is
replaced in one go; otherwise the words are normalised one by one, for nothing composes or moves across a space.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, chain
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


@dataclass(frozen=True)
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
        points = self._code_points({at for place in places for at in place})
        if self.aligned:
            return [(points[start], points[end]) for start, end in places]
        return [(self._segment_of(points[start])[0], self._segment_of(points[end] - 1)[1]) for start, end in places]

    def _code_points(self, bytes_: set[int]) -> dict[int, int]:
        """Return the code points before each of some positions in `data`, in one pass."""
        counted, reached, points = 0, 0, {}
        for at in sorted(bytes_):
            counted += len(self.data[reached:at].decode("utf-8", "surrogatepass"))
            reached = at
            points[at] = counted
        return points

    @cached_property
    def _words(self) -> tuple[list[str], list[int], list[int]]:
        """Words between spaces, and where each begins in the original and in the folded text."""
        words = self.original.split(" ")
        begins = accumulate((len(word) + 1 for word in words), initial=0)
        folded = accumulate((len(fold(word)) + 1 for word in words), initial=0)
        return words, list(begins), list(folded)

    @cached_property
    def _segments(self) -> dict[int, list[tuple[int, int]]]:
        """Word -> for each of its folded code points, begin and end of its origin in the word; filled on demand."""
        return {}

    def _segment_of(self, position: int) -> tuple[int, int]:
        """Return the original's code points that became the folded text's code point at `position`."""
        words, begins, folded = self._words
        number = bisect_right(folded, position) - 1
        if number not in self._segments:
            self._segments[number] = _origins(words[number])
        start, end = self._segments[number][position - folded[number]]
        return begins[number] + start, begins[number] + end


def _origins(word: str) -> list[tuple[int, int]]:
    """Return, for each folded code point of a word and the space after it, begin and end of its origin."""
    origins, reached = [], 0
    for segment in (*folding().segments(word), " "):
        origins += [(reached, reached + len(segment))] * len(fold(segment))
        reached += len(segment)
    return origins


@cache
def folding() -> Folding:
    """Return the folding of this Python's Unicode version; to find its characters takes a moment, once."""
    return Folding.of_unicode()


@dataclass(frozen=True)
class Folding:
    """Folds texts quickly.

    Attributes:
        odd: Automaton of the characters beyond ASCII that folding changes, or that act on their neighbours.
        found: What the automaton finds, in its order.
        folded: What replaces it.
        alone: Whether it folds without regard to its neighbours.
        kept: Whether it folds to exactly one character.
        leaning: The characters that do not fold alone.
    """

    odd: Any
    found: tuple[bytes, ...]
    folded: tuple[bytes, ...]
    alone: tuple[bool, ...]
    kept: tuple[bool, ...]
    leaning: frozenset[str]

    @classmethod
    def of_unicode(cls) -> Folding:
        """Look at every character of Unicode."""
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        acting = _acting()
        odd = [character for character in _characters() if character in acting or fold(character) != character]
        alone = tuple(acting.isdisjoint(unicodedata.normalize("NFKC", character)) for character in odd)
        found = tuple(character.encode("utf-8") for character in odd)
        return cls(
            odd=BytesAhoCorasick(found, implementation=Implementation.DFA),
            found=found,
            folded=tuple(fold(character).encode("utf-8") for character in odd),
            alone=alone,
            kept=tuple(len(fold(character)) == 1 for character in odd),
            leaning=frozenset(character for character, by_itself in zip(odd, alone, strict=True) if not by_itself),
        )

    def __call__(self, text: str) -> FoldedText:
        """Fold a text; the same as `fold`, as bytes."""
        if text.isascii():
            return FoldedText(text, text.lower().encode("ascii"), aligned=True)
        data = text.encode("utf-8", "surrogatepass").lower()
        kinds = {kind for kind, _, _ in self.odd.find_matches_as_indexes(data)}
        if all(map(self.alone.__getitem__, kinds)):
            for kind in kinds:
                data = data.replace(self.found[kind], self.folded[kind])
            return FoldedText(text, data, aligned=all(map(self.kept.__getitem__, kinds)))
        words = [unicodedata.normalize("NFKC", word) for word in text.split(" ")]
        folded = " ".join(words).casefold()
        return FoldedText(text, folded.encode("utf-8", "surrogatepass"), aligned=folded == text)

    def segments(self, text: str) -> list[str]:
        """Cut a text into the smallest parts that fold without regard to one another."""
        found: list[str] = []
        for character in text:
            if found and character in self.leaning:
                found[-1] += character
            else:
                found.append(character)
        return found


def _characters() -> Iterator[str]:
    return map(chr, chain.from_iterable(range(*part) for part in _PARTS_OF_UNICODE))


def _acting() -> frozenset[str]:
    """Return the characters that move, or that compose with what stands before them, when a text is normalised."""
    acting = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for character in _characters():
        if unicodedata.combining(character):
            acting.add(character)
        parts = unicodedata.decomposition(character).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            acting.add(chr(int(parts[1], 16)))
    return frozenset(acting)
