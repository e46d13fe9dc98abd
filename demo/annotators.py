"""Annotators' names: as people write them, in any script, and as they stand in names of files and sheets."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

from babelguard.errors import UserError

LONGEST_NAME = 40
_JOINERS = "\u200c\u200d"
"""Without them names are misspelt in Persian and in scripts of India."""
_LATIN = re.compile(
    r"LATIN (?:(?P<case>SMALL|CAPITAL) )?LETTER (?:DOTLESS |SHARP )?(?P<letters>[A-Z]{1,2})(?: WITH .+)?"
)
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def check_names(person: str, others: Sequence[str]) -> list[str]:
    """Return the names of all annotators, the first one's first; empty ones of the others are passed over.

    Raises:
        UserError: There is no first name, one holds what no name may, or two are the same.
    """
    if not person.strip():
        raise UserError("Write your name or initials.")
    names = [_checked(name) for name in (person, *others) if name.strip()]
    folded = [safe_name(name).casefold() for name in names]
    twice = next((name for place, name in enumerate(names) if folded[place] in folded[:place]), None)
    if twice is not None:
        raise UserError(f"{twice!r} stands among the names twice; give each person a name of their own.")
    return names


def safe_name(name: str) -> str:
    """Return a name as `data_prep.annotating` takes it: ASCII letters, digits, dots, underscores and hyphens.

    A name of these alone stays as it is. Any other loses its accents, has hyphens for spaces, and ends in four
    characters made from the name itself, so that José and Jose stay two people, in every archive the same two.
    """
    if _SAFE.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:4]
    spelt = "".join(_ascii(character) for character in unicodedata.normalize("NFKD", name))
    return f"{spelt.strip('-._') or 'annotator'}-{digest}"


def _checked(name: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if len(name) > LONGEST_NAME:
        raise UserError(f"{name[:20]}… has more than {LONGEST_NAME} characters; shorten the name, or give initials.")
    begins = unicodedata.category(name[0])[0] in "LN"
    if not begins or not all(_belongs(character) for character in name):
        raise UserError(
            f"{name!r:.50} cannot be an annotator's name: it begins with a letter or digit, and holds letters, digits, "
            "spaces, '.', '_' and '-' only."
        )
    return name


def _belongs(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" or category == "Nd" or character in f" ._-{_JOINERS}"


def _ascii(character: str) -> str:
    """Return the ASCII spelling of a character, as far as it is a Latin letter; empty for any other."""
    if character.isascii():
        return "-" if character == " " else character
    latin = _LATIN.fullmatch(unicodedata.name(character, ""))
    if latin is None:
        return ""
    return latin["letters"] if latin["case"] == "CAPITAL" else latin["letters"].lower()
