"""Dotted letters: words with a full stop between their letters."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import Edit, Register
from data_prep.registers._separated import separated

_BETWEEN_LETTERS = regex.compile(r"(?<=[\p{L}\p{M}\u200c\u200d])\.(?=\p{L})")


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return separated(text, language, strength, rng, ".")


def _invert(text: str, _language: Language) -> str:
    return _BETWEEN_LETTERS.sub("", text)


REGISTER = Register(
    title="words with full stops between their letters",
    refuses=lambda language: None,  # noqa: ARG005 - it exists in every script
    edits=_edits,
    strength=0.5,
    invert=_invert,
)
