"""Texts that stay whole between two formulas: what polite and bureaucratic wrapping share."""

from __future__ import annotations

from random import Random

from babelguard.languages import Language
from data_prep.register import Edit
from data_prep.register_tables import load_table
from data_prep.register_words import UNSPACED_SCRIPTS

LANGUAGES = ("en", "es", "fr", "de", "pt", "ar", "he", "hi", "ru", "zh-Hans", "ja", "sw")
"""Languages that have templates."""

_BOTH_SIDES = 0.5
"""Strength from which a text is wrapped before and after, not on one side alone."""


def wrapped(text: str, language: Language, strength: float, rng: Random, table: str) -> list[Edit]:
    """Return the formulas to put before and after the text: one of the two below half strength, both from there on."""
    if not text.strip():
        return []
    formulas = load_table(table)[language.tag]
    before, after = (options[int(rng.random() * len(options))] for options in (formulas["before"], formulas["after"]))
    gap = _gap(language)
    edits = [(0, 0, f"{before}{gap}"), (len(text), len(text), f"{gap}{after}")]
    return edits if strength >= _BOTH_SIDES else [edits[int(rng.random() * 2)]]


def unwrapped(text: str, language: Language, table: str) -> str:
    """Return the text without the formulas around it."""
    formulas, gap = load_table(table)[language.tag], _gap(language)
    for before in formulas["before"]:
        text = text.removeprefix(f"{before}{gap}")
    for after in formulas["after"]:
        text = text.removesuffix(f"{gap}{after}")
    return text


def _gap(language: Language) -> str:
    return "" if language.script in UNSPACED_SCRIPTS else " "
