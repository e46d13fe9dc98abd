"""Finds the entries of block lists in texts, at a cost that does not grow with the lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from evaluation.blocking.boundaries import separates_words
from evaluation.blocking.folding import FoldedText, fold, folding, start_of_character

_WHOLE_TABLE = 200_000
"""Bytes of entries up to which the automaton is a whole table: the fastest kind, of some hundred bytes a state."""

_IN_WORD = tuple(separates_words(chr(code)) for code in range(0x80))


class Hit(NamedTuple):
    """An entry found in a text.

    Attributes:
        start: Its first code point in the text as it came.
        end: Its last code point's position plus one.
        lists: Names of the lists that hold the entry, sorted.
    """

    start: int
    end: int
    lists: tuple[str, ...]


@dataclass(frozen=True)
class Matcher:
    """One automaton for all lists of a language.

    An edge of an entry is bound when it is a word character of a script that separates words: no other such character
    may stand beside it.

    Attributes:
        automaton: Finds the folded entries in UTF-8.
        entries: The folded entries, in the automaton's order.
        lists: For each entry, the names of its lists.
        bound: For each entry, whether its beginning and its end are bound.
    """

    automaton: Any = field(repr=False)
    entries: tuple[str, ...] = field(repr=False)
    lists: tuple[tuple[str, ...], ...] = field(repr=False)
    bound: tuple[tuple[bool, bool], ...] = field(repr=False)

    @classmethod
    def of(cls, lists: Mapping[str, Sequence[str]]) -> Matcher:
        """Build a matcher of named lists of entries; entries that fold to nothing are left out."""
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        names: dict[str, set[str]] = {}
        for name, entries in lists.items():
            for entry in entries:
                if folded := fold(entry).strip():
                    names.setdefault(folded, set()).add(name)
        entries = tuple(sorted(names))
        patterns = [entry.encode("utf-8", "surrogatepass") for entry in entries]
        small = sum(map(len, patterns)) <= _WHOLE_TABLE
        kind = Implementation.DFA if small else Implementation.ContiguousNFA
        return cls(
            automaton=BytesAhoCorasick(patterns, implementation=kind),
            entries=entries,
            lists=tuple(tuple(sorted(names[entry])) for entry in entries),
            bound=tuple((separates_words(entry[0]), separates_words(entry[-1])) for entry in entries),
        )

    def find(self, text: str) -> list[Hit]:
        """Return every entry found, whole words where the script separates words, sorted by place."""
        folded = folding()(text)
        found = list(self._found(folded))
        if not found:
            return []
        spans = folded.spans([(start, end) for _, start, end in found])
        return sorted(Hit(*span, self.lists[entry]) for (entry, _, _), span in zip(found, spans, strict=True))

    def holds(self, text: str) -> bool:
        """Tell whether any entry is found; faster than to find all."""
        return next(self._found(folding()(text)), None) is not None

    def _found(self, folded: FoldedText) -> Iterator[tuple[int, int, int]]:
        data = folded.data
        for hit in self.automaton.find_matches_as_indexes(data, overlapping=True):
            entry, start, end = hit
            bound_before, bound_after = self.bound[entry]
            if bound_before and start > 0 and _in_word_before(data, start):
                continue
            if bound_after and end < len(data) and _in_word_after(data, end):
                continue
            yield hit


def _in_word_before(data: bytes, position: int) -> bool:
    byte = data[position - 1]
    return _IN_WORD[byte] if byte < 0x80 else _in_word(data[start_of_character(data, position) : position])


def _in_word_after(data: bytes, position: int) -> bool:
    byte = data[position]
    if byte < 0x80:
        return _IN_WORD[byte]
    length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
    return _in_word(data[position : position + length])


@lru_cache(maxsize=4096)
def _in_word(character: bytes) -> bool:
    return separates_words(character.decode("utf-8", "surrogatepass"))
