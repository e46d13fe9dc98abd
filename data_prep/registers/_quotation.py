"""Quotation marks of a language, and taking them off again: what quoted and reported speech share."""

from __future__ import annotations

from babelguard.languages import Language
from data_prep.register_tables import load_table


def marks_around(text: str, language: Language) -> tuple[str, str]:
    """Return the outer pair of marks, or the inner one where the text holds outer ones already."""
    opening, closing, inner_opening, inner_closing = load_table("quoted")[language.tag]["marks"]
    held = opening.strip() in text or closing.strip() in text
    return (inner_opening, inner_closing) if held else (opening, closing)


def without_marks(text: str, language: Language) -> str:
    """Return the text without the pair of marks around it."""
    marks = load_table("quoted")[language.tag]["marks"]
    for opening, closing in (marks[:2], marks[2:]):
        if text.startswith(opening) and text.endswith(closing):
            return text[len(opening) : len(text) - len(closing)]
    return text
