"""Zero-width spaces between letters: nothing to see, other strings to a filter."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Register
from data_prep.registers._separated import separated

_ZERO_WIDTH_SPACE = "\u200b"


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return separated(text, language, strength, rng, _ZERO_WIDTH_SPACE)


def _invert(text: str, _language: Language) -> str:
    return text.replace(_ZERO_WIDTH_SPACE, "")


REGISTER = Register(
    title="words with zero-width spaces between their letters",
    refuses=lambda language: None,  # noqa: ARG005 - it exists in every script
    edits=_edits,
    strength=0.5,
    invert=_invert,
)
