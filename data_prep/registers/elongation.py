"""Elongation: a letter held for longer (``sooooo``), the last vowel of a word as a rule."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import Edit, Register, chosen, only_scripts
from data_prep.register_tables import load_table
from data_prep.register_words import LONE

_MOST = 4
"""Letters that are added at most."""

_RUN = regex.compile(r"(\p{L})\1{2,}")


@cache
def _pattern(script: str) -> regex.Pattern[str]:
    letters = load_table("elongation")[script]
    return regex.compile(
        rf"(?<=\p{{L}})(?:[{letters}]|[{letters.upper()}]){LONE}(?=[\p{{L}}\p{{M}}--[{letters}]]{{0,3}}(?![\p{{L}}\p{{M}}'’]))",
        regex.VERSION1,
    )


def elongations(text: str, script: str, rng: Random) -> list[Edit]:
    """Return, for every word that can be held, the edit that holds it."""
    return [
        Edit(match.start(), match.end(), match.group() * (3 + int(rng.random() * (_MOST - 1))))
        for match in _pattern(script).finditer(text)
        if text[match.start() - 1].casefold() != match.group().casefold()  # a double letter would not come back
    ]


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return chosen(elongations(text, language.script, rng), strength, rng)


def _invert(text: str, _language: Language) -> str:
    return _RUN.sub(r"\1", text)


REGISTER = Register(
    title="letters held for longer",
    refuses=only_scripts("Latn", "Cyrl", "Grek", "Arab", "Hebr"),
    edits=_edits,
    strength=0.3,
    invert=_invert,
)
