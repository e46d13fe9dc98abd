"""Chat spelling: abbreviations, held letters, no capitals and no punctuation, all together."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Register, chosen
from data_prep.register_phrases import phrase_edits, phrases_of
from data_prep.register_tables import load_table
from data_prep.register_words import lower, punctuation, words
from data_prep.registers.elongation import elongations

_HELD = 0.1
"""Share, at full strength, of the words that are held: rarer than what else chats do."""


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    spoken = list(words(text))
    edits: list[Edit] = list(punctuation(text, language.script))
    if language.tag in load_table("abbreviations"):
        short = phrase_edits(text, phrases_of("abbreviations", language.tag), spoken)
        edits += short
        spoken = _outside(spoken, short)
    if language.script in load_table("elongation"):
        held = [word for word in spoken if rng.random() < _HELD]
        longer = elongations(held, language.script, rng)
        edits += longer
        spoken = _outside(spoken, longer)
    if language.script in {"Latn", "Cyrl", "Grek"}:
        edits += [(start, end, low) for start, end, word in spoken if (low := lower(word, language.tag)) != word]
    return chosen(sorted(edits), strength, rng)


def _outside(spoken: list[tuple[int, int, str]], edits: list[Edit]) -> list[tuple[int, int, str]]:
    """Return the words that no edit touches; both are in order."""
    free = []
    number = 0
    for word in spoken:
        while number < len(edits) and edits[number][1] <= word[0]:
            number += 1
        if number == len(edits) or edits[number][0] >= word[1]:
            free.append(word)
    return free


REGISTER = Register(
    title="spelling of chats: abbreviations, held letters, no capitals, no punctuation",
    refuses=lambda language: None,  # noqa: ARG005 - punctuation can be dropped in every script
    edits=_edits,
    strength=0.9,
)
