"""Cyrillic in Latin letters, as chats write it (``privet``, ``zhizn'`` without the apostrophe)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import About, Edit, Register, only_languages
from data_prep.register_tables import load_table
from data_prep.register_words import like_case
from data_prep.registers._by_word import word_edits

_WORD = regex.compile(r"[\p{Script=Cyrillic}\p{M}]+")


@lru_cache(maxsize=200_000)
def _write(word: str, tag: str) -> str:
    table = load_table("cyrillic_translit")
    letters = {**table["all"], **table.get(tag, {})}
    return "".join(like_case(sign, letters.get(sign.lower(), sign)) for sign in word)


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return word_edits(text, _WORD, lambda word: _write(word, language.tag), strength, rng)


REGISTER = Register(
    title="Cyrillic in Latin letters",
    refuses=only_languages("ru", "uk", "bg", "sh"),
    edits=_edits,
    strength=1.0,
    about=frozenset({About.SCRIPT}),
)
