"""Leet: letters written as the digits and signs that look like them (``3`` for ``e``)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import Edit, Register, chosen, only_scripts
from data_prep.register_tables import load_table
from data_prep.register_words import LONE

_SCRIPTS = ("Latn", "Cyrl", "Grek")


@cache
def _signs(script: str) -> tuple[dict[str, str], regex.Pattern[str]]:
    table = load_table("leet")[script]
    signs = {**table, **{letter.upper(): sign for letter, sign in table.items()}}
    # A letter with a combining mark keeps it, and so stays itself.
    return signs, regex.compile(f"[{''.join(signs)}]{LONE}")


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    signs, pattern = _signs(language.script)
    places = [Edit(m.start(), m.end(), signs[m.group()]) for m in pattern.finditer(text)]
    return chosen(places, strength, rng)


REGISTER = Register(
    title="letters as look-alike digits and signs",
    refuses=only_scripts(*_SCRIPTS),
    edits=_edits,
    strength=0.5,
)
