"""Romaji: Japanese in Latin letters (Hepburn), with the readings of a morphological dictionary."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from random import Random
from typing import Any

import regex

from babelguard.languages import Language
from data_prep.register import About, Edit, Register, only_languages
from data_prep.registers._by_word import word_edits

_RUN = regex.compile(r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々〆]+")


@cache
def _cutlet() -> Any:  # noqa: ANN401 - the library has no types
    from cutlet import Cutlet

    # With foreign spelling a loanword comes out as the foreign word, "process" for purosesu.
    reader = Cutlet(use_foreign_spelling=False)
    reader.add_exception("私", "watashi")  # the dictionary's first reading is the ceremonious watakushi
    return reader


@lru_cache(maxsize=200_000)
def _write(run: str) -> str:
    # Pieces of a sentence follow each other, so none begins with a capital.
    return str(_cutlet().romaji(run, capitalize=False))


def _edits(text: str, _language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return word_edits(text, _RUN, _write, strength, rng)


REGISTER = Register(
    title="Japanese in Latin letters (Romaji)",
    refuses=only_languages("ja"),
    edits=_edits,
    strength=1.0,
    about=frozenset({About.SCRIPT}),
)
