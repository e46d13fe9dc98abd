"""Pinyin: Chinese in Latin letters, without tone marks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import About, Edit, Register, only_languages
from data_prep.registers._by_word import word_edits

_RUN = regex.compile(r"\p{Script=Han}+")


@lru_cache(maxsize=200_000)
def _write(run: str) -> str:
    from pypinyin import lazy_pinyin

    return " ".join(lazy_pinyin(run))


def _edits(text: str, _language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return word_edits(text, _RUN, _write, strength, rng)


REGISTER = Register(
    title="Chinese in Latin letters (Pinyin), without tones",
    refuses=only_languages("zh-Hans", "zh-Hant"),
    edits=_edits,
    strength=1.0,
    about=frozenset({About.SCRIPT}),
)
