"""No vowel points: Arabic without harakat and tatweel, Hebrew without niqqud, as they are usually typed."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import About, Edit, Register, chosen, only_scripts

_POINTS = {
    "Arab": regex.compile(
        r"[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0640]+"
    ),
    "Hebr": regex.compile(r"[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]+"),
}


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return chosen([(m.start(), m.end(), "") for m in _POINTS[language.script].finditer(text)], strength, rng)


REGISTER = Register(
    title="Arabic and Hebrew without vowel points",
    refuses=only_scripts(*_POINTS),
    edits=_edits,
    strength=1.0,
    about=frozenset({About.MARKS}),
)
