"""Finds the entries of block lists in texts, at a cost that does not grow with the lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.blocking.boundaries import joined
from evaluation.blocking.folding import FoldedText, fold, folding

_WHOLE_TABLE = 200_000
"""Bytes of entries up to which the automaton is a whole table: the fastest kind, of some hundred bytes a state."""


@dataclass(frozen=True, slots=True, order=True)
class Hit:
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

    Attributes:
        automaton: Finds the folded entries in UTF-8.
        entries: The folded entries, in the automaton's order.
        lists: For each entry, the names of its lists.
    """

    automaton: Any = field(repr=False)
    entries: tuple[str, ...] = field(repr=False)
    lists: tuple[tuple[str, ...], ...] = field(repr=False)

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
        automaton = BytesAhoCorasick(patterns, implementation=kind)
        return cls(automaton, entries, tuple(tuple(sorted(names[entry])) for entry in entries))

    def find(self, text: str) -> list[Hit]:
        """Return every entry found, whole words where the script separates words, sorted by place."""
        folded = folding()(text)
        found = list(self._found(folded))
        spans = folded.spans([(start, end) for _, start, end in found])
        return sorted(Hit(*span, self.lists[entry]) for (entry, _, _), span in zip(found, spans, strict=True))

    def holds(self, text: str) -> bool:
        """Tell whether any entry is found; faster than to find all."""
        return next(self._found(folding()(text)), None) is not None

    def _found(self, folded: FoldedText) -> Iterator[tuple[int, int, int]]:
        data = folded.data
        for number, start, end in self.automaton.find_matches_as_indexes(data, overlapping=True):
            entry = self.entries[number]
            if start > 0 and joined(_before(data, start), entry[0]):
                continue
            if end < len(data) and joined(entry[-1], _after(data, end)):
                continue
            yield number, start, end


def _before(data: bytes, position: int) -> str:
    start = position - 1
    while data[start] & 0xC0 == 0x80:
        start -= 1
    return data[start:position].decode("utf-8", "surrogatepass")


def _after(data: bytes, position: int) -> str:
    end = position + 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return data[position:end].decode("utf-8", "surrogatepass")
