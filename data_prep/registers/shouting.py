"""Shouting: words in capitals."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Label, Register, chosen, only_scripts
from data_prep.register_words import upper, words


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    places = [(start, end, raised) for start, end, word in words(text) if (raised := upper(word, language.tag)) != word]
    return chosen(places, strength, rng)


REGISTER = Register(
    title="words in capitals",
    refuses=only_scripts("Latn", "Cyrl", "Grek"),
    edits=_edits,
    strength=1.0,
    label=Label.MOSTLY,
)
