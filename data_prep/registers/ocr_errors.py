"""OCR-like errors: letters and groups of letters read as others of a similar shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, Label, Register, chosen, only_scripts
from data_prep.register_tables import load_table
from data_prep.register_words import lone_letters


@cache
def _misreadings(script: str) -> tuple[dict[str, list[str]], frozenset[str], int]:
    """Return shape -> what it is read as, the letters that shapes begin with, and the length of the longest shape."""
    table = {str(shape): str(readings).split() for shape, readings in load_table("ocr_errors")[script].items()}
    return table, frozenset(shape[0] for shape in table), max(map(len, table))


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    _, first_letters, _ = _misreadings(language.script)
    places = lone_letters(text, first_letters)
    edits = list(_readings(text, chosen(places, strength, rng), language, rng))
    return edits or list(_readings(text, places, language, rng))[:1]


def _readings(text: str, places: list[int], language: Language, rng: Random) -> Iterator[Edit]:
    table, _, longest = _misreadings(language.script)
    done = 0
    for place in places:
        for length in range(longest, 0, -1):
            end = place + length
            readings = table.get(text[place:end]) if place >= done and end <= len(text) else None
            if readings and (length == 1 or lone_letters(text[end - 1 : end + 1], text[end - 1])[:1] == [0]):
                yield place, end, readings[int(rng.random() * len(readings))]
                done = end
                break


REGISTER = Register(
    title="letters misread for others of a similar shape, as by OCR",
    refuses=only_scripts("Latn", "Cyrl", "Grek", "Arab", "Hebr", "Deva", "Hans", "Hant", "Jpan", "Kore", "Thai"),
    edits=_edits,
    strength=0.15,
    label=Label.MOSTLY,
)
