"""Hinglish: Hindi in Latin letters, as chats write it, without the vowels that speech drops."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from random import Random

import regex

from babelguard.languages import Language
from data_prep.register import About, Edit, Register, only_languages
from data_prep.register_tables import load_table
from data_prep.registers._by_word import word_edits

_WORD = regex.compile(r"[\p{Script=Devanagari}\p{M}\u200c\u200d]+")
_VOWEL = "aāiīuūeēoōæô"
_MEDIAL_SCHWA = regex.compile(
    rf"(?<=[{_VOWEL}][^{_VOWEL}]{{1,2}})a(?=[^{_VOWEL}h][{_VOWEL}])|(?<=[{_VOWEL}][^{_VOWEL}]{{1,2}})a(?=[^{_VOWEL}]h[{_VOWEL}])"
)
_FINAL_SCHWA = regex.compile(rf"(?<=[{_VOWEL}][^{_VOWEL}]{{1,3}})a$")


@lru_cache(maxsize=200_000)
def _write(word: str) -> str:
    from indic_transliteration import sanscript

    table = load_table("hinglish")
    if word in table["words"]:
        return str(table["words"][word])
    scholarly: str = sanscript.transliterate(word.strip("\u200c\u200d"), sanscript.DEVANAGARI, sanscript.ISO)
    # Final and medial a are not spoken (Ohala 1983): kamala -> kamal, ladakā -> ladkā.
    spoken = _FINAL_SCHWA.sub("", scholarly)
    spoken = _MEDIAL_SCHWA.sub("", spoken)
    for sign, letters in table["letters"].items():
        spoken = spoken.replace(sign, str(letters))
    return spoken


def _edits(text: str, _language: Language, strength: float, rng: Random) -> Iterable[Edit]:
    return word_edits(text, _WORD, _write, strength, rng)


REGISTER = Register(
    title="Hindi in Latin letters (Hinglish)",
    refuses=only_languages("hi"),
    edits=_edits,
    strength=1.0,
    about=frozenset({About.SCRIPT}),
)
