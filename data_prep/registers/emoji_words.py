"""Emoji in place of words, wherever a word is just the name that Unicode's CLDR gives an emoji in the language."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random

import regex

from babelguard.languages import Language, language
from data_prep.register import Edit, Label, Register, chosen
from data_prep.register_tables import load_table
from data_prep.register_words import LONE, UNSPACED_SCRIPTS, WORD, like_case

_SHORTEST = 3
"""Letters of the shortest name that counts in scripts that space their words; two where they do not."""


def _refuses(known: Language) -> str | None:
    codes = load_table("emoji_words")
    if known.tag == "zh-Hant" or _code(known.tag) not in codes:
        return f"the names of emoji have been looked through for {', '.join(codes)} only"
    return None


def _code(tag: str) -> str:
    return tag.partition("-")[0]


@cache
def _emoji_by_name(tag: str) -> dict[str, str]:
    """Return one-word name -> emoji; the first of a name in the library's order, without skin tones."""
    from emoji import EMOJI_DATA, STATUS, config

    code = _code(tag)
    config.load_language(code)
    shortest = 2 if _unspaced(tag) else _SHORTEST
    ambiguous = set(load_table("emoji_words")[code])
    found: dict[str, str] = {}
    for sign, entry in EMOJI_DATA.items():
        name = str(entry.get(code, "")).strip(":").casefold()
        if entry["status"] != STATUS["fully_qualified"] or len(name) < shortest or name in ambiguous:
            continue
        if WORD.fullmatch(name):
            found.setdefault(name, sign)
    return found


def _unspaced(tag: str) -> bool:
    return language(tag).script in UNSPACED_SCRIPTS


@cache
def _name_pattern(tag: str) -> regex.Pattern[str]:
    longest_first = sorted(_emoji_by_name(tag), key=len, reverse=True)
    return regex.compile(f"(?:{'|'.join(map(regex.escape, longest_first))}){LONE}")


def _edits(text: str, known: Language, strength: float, rng: Random) -> Iterable[Edit]:
    names = _emoji_by_name(known.tag)
    pattern = _name_pattern(known.tag) if known.script in UNSPACED_SCRIPTS else WORD
    places = [
        (match.start(), match.end(), names[folded])
        for match in pattern.finditer(text)
        if (folded := match.group().casefold()) in names
        and "-" not in text[max(match.start() - 1, 0) : match.end() + 1]
    ]
    return chosen(places, strength, rng)


@cache
def _names_back(tag: str) -> tuple[dict[str, str], regex.Pattern[str]]:
    back = {sign: name for name, sign in _emoji_by_name(tag).items()}
    longest_first = sorted(back, key=len, reverse=True)
    return back, regex.compile("|".join(map(regex.escape, longest_first)))


def _invert(text: str, known: Language) -> str:
    back, pattern = _names_back(known.tag)
    return pattern.sub(lambda m: like_case("A" if m.start() == 0 else "a", back[m.group()]), text)


REGISTER = Register(
    title="emoji in place of words that name them",
    refuses=_refuses,
    edits=_edits,
    strength=1.0,
    label=Label.MOSTLY,
    invert=_invert,
)
