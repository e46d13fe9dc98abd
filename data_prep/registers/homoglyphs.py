"""Homoglyphs: letters of another script, or another form of the same letter, that look like the text's own."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from random import Random
from typing import Any

from babelguard.languages import Language
from data_prep.register import Edit, Register, chosen, only_scripts
from data_prep.register_tables import load_table
from data_prep.register_words import lone_letters

_ALPHABETS = {
    "Latn": ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "LATIN"),
    "Cyrl": ("абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯІЇЄҐ", "CYRILLIC"),
    "Grek": ("αβγδεζηθικλμνξοπρστυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ", "GREEK"),
}
_PREFERRED = ("CYRILLIC", "LATIN", "GREEK")


@cache
def _look_alikes(script: str) -> dict[str, str]:
    found: dict[str, str] = dict(_from_unicode(script)) if script in _ALPHABETS else load_table("homoglyphs")[script]
    return found


def _from_unicode(script: str) -> Iterator[tuple[str, str]]:
    """Yield letter -> look-alike from Unicode's confusables (UTS 39); no two letters share a look-alike."""
    from confusable_homoglyphs import confusables

    letters, name = _ALPHABETS[script]
    used: set[str] = set()
    for letter in letters:
        found: Any = confusables.is_confusable(letter, greedy=True)
        similar = [entry["c"] for one in found or () for entry in one["homoglyphs"] if one["character"] == letter]
        for wanted in (other for other in _PREFERRED if other != name):
            glyph = next((c for c in similar if _is_letter_of(c, wanted, letter) and c not in used), None)
            if glyph is not None:
                used.add(glyph)
                yield letter, glyph
                break


def _is_letter_of(glyph: str, script: str, like: str) -> bool:
    return (
        len(glyph) == 1
        and unicodedata.name(glyph, "").startswith(f"{script} ")
        and unicodedata.category(glyph) == unicodedata.category(like)
    )


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    table = _look_alikes(language.script)
    return [(place, place + 1, table[text[place]]) for place in chosen(lone_letters(text, table), strength, rng)]


def _invert(text: str, language: Language) -> str:
    return text.translate(_back(language.script))


@cache
def _back(script: str) -> dict[int, str]:
    return {ord(glyph): letter for letter, glyph in _look_alikes(script).items()}


REGISTER = Register(
    title="letters as look-alikes of other scripts (Unicode confusables)",
    refuses=only_scripts(*_ALPHABETS, "Arab"),
    edits=_edits,
    strength=0.3,
    invert=_invert,
)
