"""OCR-like errors: letters and groups of letters read as others of a similar shape."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import Edit, Label, Register, chosen, only_scripts
from data_prep.register_tables import load_table
from data_prep.register_words import LONE


@cache
def _misreadings(script: str) -> tuple[dict[str, list[str]], regex.Pattern[str]]:
    table = {str(shape): str(readings).split() for shape, readings in load_table("ocr_errors")[script].items()}
    longest_first = sorted(table, key=len, reverse=True)
    return table, regex.compile(f"(?:{'|'.join(map(regex.escape, longest_first))}){LONE}")


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    table, pattern = _misreadings(language.script)
    places = []
    for match in pattern.finditer(text):
        readings = table[match.group()]
        read = readings[int(rng.random() * len(readings))] if len(readings) > 1 else readings[0]
        places.append(Edit(match.start(), match.end(), read))
    return chosen(places, strength, rng)


REGISTER = Register(
    title="letters misread for others of a similar shape, as by OCR",
    refuses=only_scripts("Latn", "Cyrl", "Grek", "Arab", "Hebr", "Deva", "Hans", "Hant", "Jpan", "Kore", "Thai"),
    edits=_edits,
    strength=0.15,
    label=Label.MOSTLY,
)
