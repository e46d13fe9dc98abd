"""Abbreviations of text messages, from a small table for each language."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Register, chosen
from data_prep.register_phrases import phrase_edits, phrases_of
from data_prep.register_tables import load_table
from data_prep.register_words import words


def _refuses(language: Language) -> str | None:
    known = load_table("abbreviations")
    return None if language.tag in known else f"there is a table of abbreviations for {', '.join(known)} only"


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return chosen(phrase_edits(text, phrases_of("abbreviations", language.tag), words(text)), strength, rng)


REGISTER = Register(
    title="abbreviations of text messages",
    refuses=_refuses,
    edits=_edits,
    strength=1.0,
)
