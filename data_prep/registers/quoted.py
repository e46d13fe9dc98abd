"""Quoted: the text between the language's quotation marks, and nothing else.

Whether quoting changes harm is for readers to say: a bare quotation may be an endorsement, a report or an exhibit.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Label, Register, only_languages
from data_prep.registers._quotation import marks_around, without_marks
from data_prep.registers._wrapped import LANGUAGES


def _edits(text: str, language: Language, _strength: float, _rng: Random) -> Iterable[Edit]:
    if not text.strip():
        return []
    opening, closing = marks_around(text, language)
    return [(0, 0, opening), (len(text), len(text), closing)]


REGISTER = Register(
    title="the text in quotation marks",
    refuses=only_languages(*LANGUAGES),
    edits=_edits,
    strength=1.0,
    label=Label.UNCERTAIN,
    invert=without_marks,
)
