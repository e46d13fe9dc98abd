"""Elongation: a letter held for longer (``sooooo``), the last vowel of a word as a rule."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import Edit, Register, chosen, only_scripts
from data_prep.register_tables import load_table
from data_prep.register_words import lone_letters, words

_MOST = 4
"""Letters that are added at most."""

_RUN = regex.compile(r"(\p{L})\1{2,}")


@cache
def _vowels(script: str) -> frozenset[str]:
    letters = load_table("elongation")[script]
    return frozenset(letters + letters.upper())


def elongations(words: Iterable[tuple[int, int, str]], script: str, rng: Random) -> list[Edit]:
    """Return, for every word (start, end, word) that can be held, the edit that holds it."""
    vowels = _vowels(script)
    edits = []
    for start, _, word in words:
        place = _held(word, vowels)
        if place:
            at = start + place
            edits.append((at, at + 1, word[place] * (3 + int(rng.random() * (_MOST - 1)))))
    return edits


def _held(word: str, vowels: frozenset[str]) -> int:
    """Return where a word's last vowel stands; 0 if it is not near the end, has marks or is double."""
    for place in range(len(word) - 1, max(len(word) - 5, 0), -1):
        if word[place] in vowels:
            double = word[place - 1].casefold() == word[place].casefold()
            marked = not word.isascii() and lone_letters(word[place : place + 2], vowels)[:1] != [0]
            return 0 if double or marked else place
    return 0


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    spoken = list(words(text))
    edits = elongations(chosen(spoken, strength, rng), language.script, rng)
    return edits or elongations(spoken, language.script, rng)[:1]


def _invert(text: str, _language: Language) -> str:
    return _RUN.sub(r"\1", text)


REGISTER = Register(
    title="letters held for longer",
    refuses=only_scripts("Latn", "Cyrl", "Grek", "Arab", "Hebr"),
    edits=_edits,
    strength=0.3,
    invert=_invert,
)
