"""Lower case throughout."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Register, chosen, only_scripts
from data_prep.register_words import lower, words


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    places = [
        (start, end, lowered) for start, end, word in words(text) if (lowered := lower(word, language.tag)) != word
    ]
    return chosen(places, strength, rng)


REGISTER = Register(
    title="words in lower case",
    refuses=only_scripts("Latn", "Cyrl", "Grek"),
    edits=_edits,
    strength=1.0,
)
