"""Romanised: any other script in Latin letters, as uroman (Hermjakob et al., ACL 2018) writes it for every language."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from random import Random
from typing import Any

import regex

from babelguard.languages import Language
from data_prep.register import About, Edit, Register
from data_prep.registers._by_word import word_edits

_WORD = regex.compile(r"[[\p{L}\p{M}\u200c\u200d]--[\p{Script=Latin}]]+", regex.VERSION1)


def _refuses(language: Language) -> str | None:
    if language.script == "Latn":
        return "its script is Latin already"
    if language.script in {"Jpan", "Hant"} or language.tag == "zh-Hans":
        return "uroman does not know the readings; take romaji or pinyin"
    return None


@cache
def _uroman() -> Any:  # noqa: ANN401 - the library has no types
    from uroman import Uroman

    return Uroman()


@lru_cache(maxsize=200_000)
def _write(word: str, code: str) -> str:
    return str(_uroman().romanize_string(word, lcode=code))


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return word_edits(text, _WORD, lambda word: _write(word, language.iso639_3), strength, rng)


REGISTER = Register(
    title="any other script in Latin letters, by a universal romaniser",
    refuses=_refuses,
    edits=_edits,
    strength=1.0,
    about=frozenset({About.SCRIPT}),
)
