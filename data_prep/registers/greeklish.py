"""Greeklish: Greek in Latin letters and digits, by the look of the letters or by their sound."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import About, Edit, Register, only_languages
from data_prep.register_tables import load_table
from data_prep.register_words import like_case
from data_prep.registers._by_word import word_edits

_WORD = regex.compile(r"[\p{Script=Greek}\p{M}]+")


@lru_cache(maxsize=200_000)
def _write(word: str, style: str) -> str:
    letters = load_table("greeklish")[style]
    bare = [sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign)]
    return "".join(like_case(sign, str(letters.get(sign.lower(), sign))) for sign in bare)


def _edits(text: str, _language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    style = "by_look" if rng.random() < 0.5 else "by_sound"  # a writer keeps to one of the two
    return word_edits(text, _WORD, lambda word: _write(word, style), strength, rng)


REGISTER = Register(
    title="Greek in Latin letters (Greeklish)",
    refuses=only_languages("el"),
    edits=_edits,
    strength=1.0,
    about=frozenset({About.SCRIPT}),
)
