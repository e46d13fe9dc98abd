"""Arabizi: Arabic in Latin letters and digits (``3`` for ain, ``7`` for hah), in Egyptian spelling.

Arabic script leaves short vowels out, and Arabizi writes them. Frequent words come from a table; in all others a vowel
is put where two or more consonants would meet, which reads as Arabizi and is not always the right vowel.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import About, Edit, Register, only_languages
from data_prep.register_tables import load_table
from data_prep.registers._by_word import word_edits

_WORD = regex.compile(r"[\p{Script=Arabic}\p{M}\u0640]+")
_VOWELS = frozenset("aeiou")
_LONG = frozenset({"a", "i", "oo"})
_MARKED = regex.compile(r"[\u064b-\u0655\u0670]")


@lru_cache(maxsize=200_000)
def _write(word: str) -> str:
    table = load_table("arabizi")
    bare = _MARKED.sub("", word).replace("\u0640", "")
    if bare in table["words"]:
        return str(table["words"][bare])
    for prefix, written in table["prefixes"].items():
        if bare.startswith(prefix) and len(bare) > len(prefix) + 2:
            return f"{written} {_spelled(word[_length_with_marks(word, len(prefix)) :], table)}".strip()
    return _spelled(word, table)


def _length_with_marks(word: str, letters: int) -> int:
    """Return how many signs of the word make its first letters, their marks included."""
    seen = place = 0
    while place < len(word) and (seen < letters or _MARKED.match(word[place])):
        seen += not _MARKED.match(word[place]) and word[place] != "\u0640"
        place += 1
    return place


def _spelled(word: str, table: dict[str, dict[str, str]]) -> str:
    letters: list[str] = []
    signs = word.replace("\u0640", "")
    for place, sign in enumerate(signs):
        if sign == "\u0651":  # shadda doubles the letter before it
            letters += letters[-1:]
        elif sign == "ا" and signs[place - 1 : place] == "\u064b":
            continue  # the alef under a final -an is silent
        elif sign in table["marks"]:
            letters.append(str(table["marks"][sign]))
        elif sign in {"و", "ي"} and _is_consonant(signs, place):
            letters.append({"و": "w", "ي": "y"}[sign])
        else:
            letters.append(str(table["letters"].get(sign, sign)))
    return _with_vowels([letter for letter in letters if letter])


def _is_consonant(signs: str, place: int) -> bool:
    """Tell whether waw or ya is a consonant: at the start of a word, or beside a long a or another of the two."""
    after = signs[place + 1 : place + 2]
    return place == 0 or after in set("اىةوي") or signs[place - 1] == "ا"


def _with_vowels(letters: list[str]) -> str:
    written: list[str] = []
    for place, letter in enumerate(letters):
        previous = written[-1] if written else ""
        meets = bool(previous) and previous[-1] not in _VOWELS and letter[0] not in _VOWELS and previous != letter
        at_start = place == 1
        before = written[-2] if len(written) > 1 else ""
        crowded = bool(before) and before[-1] not in _VOWELS
        closing = place == len(letters) - 1 and place > 1 and letters[place - 2] in _LONG
        if meets and (at_start or crowded or closing):
            written.append("a" if at_start else "e")
        written.append(letter)
    return "".join(written)


def _edits(text: str, _language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return word_edits(text, _WORD, _write, strength, rng)


REGISTER = Register(
    title="Arabic in Latin letters and digits (Arabizi)",
    refuses=only_languages("ar"),
    edits=_edits,
    strength=1.0,
    about=frozenset({About.SCRIPT}),
)
