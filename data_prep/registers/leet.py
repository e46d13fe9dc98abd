"""Leet: letters written as the digits and signs that look like them (``3`` for ``e``)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Register, chosen, only_scripts
from data_prep.register_tables import load_table
from data_prep.register_words import lone_letters

_SCRIPTS = ("Latn", "Cyrl", "Grek")


@cache
def _signs(script: str) -> dict[str, str]:
    table = load_table("leet")[script]
    return {**table, **{letter.upper(): sign for letter, sign in table.items()}}


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    signs = _signs(language.script)
    return [(place, place + 1, signs[text[place]]) for place in chosen(lone_letters(text, signs), strength, rng)]


REGISTER = Register(
    title="letters as look-alike digits and signs",
    refuses=only_scripts(*_SCRIPTS),
    edits=_edits,
    strength=0.5,
)
