"""Finds a policy's words and phrases in texts, whatever the letter case and the way of encoding accents."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_UNSEEN = frozenset("\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff")
"""Characters that nobody sees; in the search they are left out of entries and texts alike."""

_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
"""Scripts whose words stand side by side; an entry is found anywhere there."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry found in a text: first code point, the one behind the last, and the entry's place in the list."""

    start: int
    end: int
    entry: int


class Phrases:
    """The entries of one list, found together in one pass (Aho and Corasick, 1975)."""

    def __init__(self, entries: Iterable[str]) -> None:
        """Build the search; entries that hold nothing but space and unseen characters are left out."""
        from ahocorasick_rs import AhoCorasick

        folded = dict.fromkeys(" ".join(fold(entry)[0].split()) for entry in entries)
        self._entries: tuple[str, ...] = tuple(entry for entry in folded if entry)
        self._entry_set = frozenset(self._entries)
        self._search = AhoCorasick(list(self._entries)) if self._entries else None

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, text: str) -> list[Hit]:
        """Return all entries in a text, as whole words where the script separates words."""
        if self._search is None:
            return []
        folded, places = fold(text)
        hits = []
        for entry, start, end in self._search.find_matches_as_indexes(folded, overlapping=True):
            if not (_continues(folded, start) or _continues(folded, end)):
                hits.append(Hit(places[start], places[end - 1] + 1, entry))
        return hits

    def is_entry(self, text: str) -> bool:
        """Tell whether a text as a whole is an entry, but for letter case and space."""
        return self._search is not None and " ".join(fold(text)[0].split()) in self._entry_set


def fold(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in the form that is compared, and for each of its characters the place in the text.

    Compatibility decomposition and case folding, character by character, without unseen characters; white space of
    any kind and length is one blank, and a lone surrogate is U+FFFD.
    """
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.lower(), range(len(text))
    folded: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for piece in _fold_character(character):
            if piece == " " and folded and folded[-1] == " ":
                continue
            folded.append(piece)
            places.append(place)
    return "".join(folded), places


@lru_cache(maxsize=65536)
def _fold_character(character: str) -> str:
    if character in _UNSEEN:
        return ""
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    if character.isspace():
        return " "
    decomposed = unicodedata.normalize("NFKD", character).casefold()
    return unicodedata.normalize("NFKD", decomposed)


def _continues(text: str, place: int) -> bool:
    """Tell whether a word goes on across a place between two characters."""
    return 0 < place < len(text) and _in_spaced_word(text[place - 1]) and _in_spaced_word(text[place])


@lru_cache(maxsize=65536)
def _in_spaced_word(character: str) -> bool:
    if not (character.isalnum() or unicodedata.category(character).startswith("M")):
        return False
    return not unicodedata.name(character, "").startswith(_UNSPACED)
