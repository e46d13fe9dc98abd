"""Keyboard typos: slips of a finger on the language's own layout."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import Edit, Label, Register
from data_prep.register_tables import load_table
from data_prep.register_words import cluster_bounds

_SHORTEST = 4
"""Letters of the shortest word in which somebody slips."""

_LONG_WORD = regex.compile(rf"[\p{{L}}\p{{M}}\u200c\u200d]{{{_SHORTEST},}}")


def _refuses(language: Language) -> str | None:
    if language.script in {"Hans", "Hant", "Jpan", "Kore"}:
        return "its words are composed from several keys, so that a slip does not give a neighbouring letter"
    return None if language.tag in load_table("layouts") else "its keyboard layout is not in the table"


@cache
def _neighbours(tag: str) -> dict[str, str]:
    """Return letter -> the letters on the keys around it, by the stagger of a standard keyboard."""
    rows = load_table("layouts")[tag]
    places = {
        letter: (number, column + stagger)
        for number, (row, stagger) in enumerate(zip(rows, (0.0, 0.25, 0.75), strict=True))
        for column, letter in enumerate(row)
        if letter.isalpha()
    }
    return {
        letter: "".join(
            other
            for other, (up, right) in places.items()
            if other != letter and abs(up - y) <= 1 and abs(right - x) <= 1
        )
        for letter, (y, x) in places.items()
    }


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    layout = _neighbours(language.tag)
    words = list(_LONG_WORD.finditer(text))
    slips = []
    for match in words:
        if rng.random() < strength:
            slip = _slip(text, match.start(), match.end(), layout, rng)
            if slip is not None:
                slips.append(slip)
    if not slips:
        everywhere = (_slip(text, match.start(), match.end(), layout, rng) for match in words)
        slips += [first] if (first := next((s for s in everywhere if s is not None), None)) is not None else []
    return slips


def _slip(text: str, start: int, end: int, layout: dict[str, str], rng: Random) -> Edit | None:
    """Return a neighbouring key, a letter too many, one too few, or two that changed places."""
    bounds = cluster_bounds(text, start, end)[1:]
    letters = [at for at, after in pairwise(bounds) if after == at + 1 and layout.get(text[at].lower())]
    if not letters:
        return None
    place = letters[int(rng.random() * len(letters))]
    letter = text[place]
    kind = rng.random()
    if kind < 0.2 and place + 1 in letters and text[place + 1] != letter:
        return (place, place + 2, text[place + 1] + letter)
    if kind < 0.35:
        return (place, place + 1, letter * 2)
    if kind < 0.5:
        return (place, place + 1, "")
    near = layout[letter.lower()]
    wrong = near[int(rng.random() * len(near))]
    return (place, place + 1, wrong.upper() if letter.isupper() else wrong)


REGISTER = Register(
    title="typing slips on the language's keyboard",
    refuses=_refuses,
    edits=_edits,
    strength=0.3,
    label=Label.MOSTLY,
)
