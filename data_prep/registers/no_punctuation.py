"""No punctuation: sentences run on."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Register, chosen
from data_prep.register_words import punctuation


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return chosen([(start, end, put) for start, end, put in punctuation(text, language.script)], strength, rng)


REGISTER = Register(
    title="no commas, full stops, question or exclamation marks",
    refuses=lambda language: None,  # noqa: ARG005 - it exists in every script
    edits=_edits,
    strength=1.0,
)
