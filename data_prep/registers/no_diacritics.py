"""No diacritics: letters without their accents, as people type who cannot or will not find them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import About, Edit, Label, Register, chosen, only_scripts
from data_prep.register_tables import load_table

_LETTER = regex.compile(r"[\p{L}\p{M}--\p{ASCII}][\p{M}]*|[A-Za-z]\p{M}+", regex.VERSION1)


@lru_cache(maxsize=20_000)
def _plain(letter: str, tag: str, script: str) -> str:
    """Return one letter with its marks as the language's writers type it without them."""
    composed = unicodedata.normalize("NFC", letter)
    tables = load_table("no_diacritics")
    table = {**tables["scripts"].get(script, {}), **tables["languages"].get(tag, {})}
    low = composed.lower()
    if low in table:
        put = str(table[low])
        return put if composed == low else put.capitalize()
    if script not in {"Latn", "Grek"}:
        return "".join(str(table.get(sign, sign)) for sign in composed)
    base = "".join(sign for sign in unicodedata.normalize("NFD", composed) if not unicodedata.combining(sign))
    return "".join(str(table.get(sign, sign)) for sign in base)


def _edits(text: str, language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    if text.isascii():
        return []
    places = []
    for match in _LETTER.finditer(text):
        letter = match.group()
        plain = _plain(letter, language.tag, language.script)
        if plain != letter:
            places.append((match.start(), match.end(), plain))
    return chosen(places, strength, rng)


REGISTER = Register(
    title="letters without their accents and other marks",
    refuses=only_scripts("Latn", "Grek", "Cyrl", "Arab", "Deva"),
    edits=_edits,
    strength=1.0,
    label=Label.MOSTLY,
    about=frozenset({About.MARKS}),
)
