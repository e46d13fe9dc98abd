"""Colloquial contractions and clipped endings (``gonna``, ``cansao``, ``j'sais pas``, ``hab``)."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Register, chosen, only_languages
from data_prep.register_phrases import phrase_edits, phrases_of
from data_prep.register_words import words


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return chosen(phrase_edits(text, phrases_of("contractions", language.tag), words(text)), strength, rng)


REGISTER = Register(
    title="colloquial contractions and clipped endings",
    refuses=only_languages("en", "es", "fr", "de"),
    edits=_edits,
    strength=1.0,
)
