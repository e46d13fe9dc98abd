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
    by_rank = [[Edit(start, end, put) for start, end, put in punctuation(text, language.script)]]
    if language.tag in load_table("abbreviations"):
        by_rank.append(list(phrase_edits(text, phrases_of("abbreviations", language.tag))))
    if language.script in load_table("elongation"):
        held = elongations(text, language.script, rng)
        by_rank.append([Edit(e.start, e.end, lower(e.text, language.tag)) for e in held if rng.random() < _HELD])
    by_rank.append(
        [Edit(start, end, low) for start, end, word in words(text) if (low := lower(word, language.tag)) != word]
    )
    return chosen(_first_come(by_rank), strength, rng)


def _first_come(by_rank: list[list[Edit]]) -> list[Edit]:
    """Return the edits in order, without those that meet one of a higher rank."""
    taken: list[Edit] = []
    covered: set[int] = set()
    for edits in by_rank:
        free = [edit for edit in edits if covered.isdisjoint(range(edit.start, edit.end))]
        covered.update(place for edit in free for place in range(edit.start, edit.end))
        taken += free
    return sorted(taken)


REGISTER = Register(
    title="spelling of chats: abbreviations, held letters, no capitals, no punctuation",
    refuses=lambda language: None,  # noqa: ARG005 - punctuation can be dropped in every script
    edits=_edits,
    strength=0.9,
)
