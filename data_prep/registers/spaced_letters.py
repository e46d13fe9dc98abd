"""Spaced letters: words with a space between their letters."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Register
from data_prep.registers._separated import separated


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return separated(text, language, strength, rng, " ")


REGISTER = Register(
    title="words with spaces between their letters",
    refuses=lambda language: None,  # noqa: ARG005 - it exists in every script
    edits=_edits,
    strength=0.5,
)
