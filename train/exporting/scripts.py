"""Scripts of characters, by the names that Unicode gives them."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

NAMES: Final = {
    "Arab": ("ARABIC",),
    "Armn": ("ARMENIAN",),
    "Beng": ("BENGALI",),
    "Cyrl": ("CYRILLIC",),
    "Deva": ("DEVANAGARI",),
    "Ethi": ("ETHIOPIC",),
    "Geor": ("GEORGIAN",),
    "Grek": ("GREEK",),
    "Gujr": ("GUJARATI",),
    "Guru": ("GURMUKHI",),
    "Hang": ("HANGUL",),
    "Hani": ("CJK", "KANGXI", "IDEOGRAPHIC"),
    "Hans": ("CJK", "KANGXI", "IDEOGRAPHIC"),
    "Hant": ("CJK", "KANGXI", "IDEOGRAPHIC"),
    "Hebr": ("HEBREW",),
    "Hira": ("HIRAGANA",),
    "Jpan": ("CJK", "HIRAGANA", "KATAKANA", "HALFWIDTH", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"),
    "Kana": ("KATAKANA",),
    "Khmr": ("KHMER",),
    "Knda": ("KANNADA",),
    "Kore": ("HANGUL", "CJK"),
    "Laoo": ("LAO",),
    "Latn": ("LATIN",),
    "Mlym": ("MALAYALAM",),
    "Mymr": ("MYANMAR",),
    "Orya": ("ORIYA",),
    "Sinh": ("SINHALA",),
    "Taml": ("TAMIL",),
    "Telu": ("TELUGU",),
    "Thai": ("THAI",),
    "Tibt": ("TIBETAN",),
}
"""ISO 15924 code -> how the names of the script's characters begin; Latin letters are in every text's reach."""

_ALL: Final = frozenset(name for names in NAMES.values() for name in names)


@lru_cache(maxsize=1 << 17)
def script_name(character: str) -> str | None:
    """Return how the name of a letter's or mark's script begins; `None` for what no single script owns.

    Digits, punctuation, symbols, emoji, combining marks and letters of scripts that the table lacks are nobody's.
    """
    if unicodedata.category(character)[0] not in "LM":
        return None
    first = unicodedata.name(character, "").replace("FULLWIDTH ", "").split(" ", 1)[0]
    return first if first in _ALL else None


def fits(text: str, allowed: frozenset[str] | None) -> bool:
    """Tell whether all letters of a text are of the allowed scripts (beginnings of names); `None` allows all."""
    return allowed is None or all(name is None or name in allowed for name in map(script_name, text))


def names_of(scripts: set[str]) -> frozenset[str] | None:
    """Return the beginnings of character names for ISO 15924 codes, Latin included.

    `None`, every script, if the table lacks one of them: better a token too many than a language without its letters.
    """
    if scripts - set(NAMES):
        return None
    return frozenset(name for script in {*scripts, "Latn"} for name in NAMES[script])
