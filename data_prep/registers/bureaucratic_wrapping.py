"""Bureaucratic wrapping: the text stays whole between the formulas of an office."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Register, only_languages
from data_prep.registers._wrapped import LANGUAGES, unwrapped, wrapped


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return wrapped(text, language, strength, rng, "bureaucratic")


def _invert(text: str, language: Language) -> str:
    return unwrapped(text, language, "bureaucratic")


REGISTER = Register(
    title="office formulas before and after the text",
    refuses=only_languages(*LANGUAGES),
    edits=_edits,
    strength=1.0,
    invert=_invert,
)
