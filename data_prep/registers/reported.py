"""Reported: somebody else is said to have said it, by a clause that takes no side.

A report is often judged milder than the words that it reports: the label is the parent's by construction only.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Label, Register, only_languages
from data_prep.register_tables import load_table
from data_prep.register_words import UNSPACED_SCRIPTS
from data_prep.registers._quotation import marks_around, without_marks
from data_prep.registers._wrapped import LANGUAGES


def _gap(language: Language) -> str:
    return "" if language.script in UNSPACED_SCRIPTS else " "


def _edits(text: str, language: Language, _strength: float, rng: Random) -> Iterable[Edit]:
    if not text.strip():
        return []
    reports = load_table("quoted")[language.tag]["reports"]
    opening, closing = marks_around(text, language)
    report = reports[int(rng.random() * len(reports))]
    return [(0, 0, f"{report}{_gap(language)}{opening}"), (len(text), len(text), closing)]


def _invert(text: str, language: Language) -> str:
    for report in load_table("quoted")[language.tag]["reports"]:
        text = text.removeprefix(f"{report}{_gap(language)}")
    return without_marks(text, language)


REGISTER = Register(
    title="the text as somebody else's words",
    refuses=only_languages(*LANGUAGES),
    edits=_edits,
    strength=1.0,
    label=Label.UNCERTAIN,
    invert=_invert,
)
