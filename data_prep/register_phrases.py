"""Phrases that a register writes shorter, from a table: whole phrases, endings of words, and what is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import regex

from data_prep.register import Edit
from data_prep.register_tables import load_table
from data_prep.register_words import like_case

_LEFT = r"(?<![\p{L}\p{M}\p{N}'’_])"
_RIGHT = r"(?![\p{L}\p{M}\p{N}_]|['’]\p{L})"
_WORD_FOLLOWS = r"(?= \p{L})"


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language's table, ready to be looked for.

    Attributes:
        pattern: Finds any of them; the group says which kind it is.
        short: Phrase in lower case -> what it becomes.
        endings: Ending in lower case -> what it becomes.
        whole: Words that look as if they had such an ending.
    """

    pattern: regex.Pattern[str]
    short: Mapping[str, str]
    endings: Mapping[str, str]
    whole: frozenset[str]


@cache
def phrases_of(table: str, tag: str) -> Phrases:
    """Return a language's phrases of a table; see the head of data_prep/register_tables/contractions.yaml."""
    entry: dict[str, Any] = load_table(table)[tag]
    anywhere, before = entry.get("phrases", {}), entry.get("before_a_word", {})
    endings = entry.get("endings", {})
    alternatives = []
    if entry.get("left_out"):
        alternatives.append(f"(?P<left_out>{'|'.join(entry['left_out'])})")
    if before:
        alternatives.append(f"(?P<before>{_LEFT}(?:{_any_of(before)}){_WORD_FOLLOWS})")
    if anywhere:
        alternatives.append(f"(?P<phrase>{_LEFT}(?:{_any_of(anywhere)}){_RIGHT})")
    if endings:
        stem = int(entry.get("shortest_stem", 2))
        alternatives.append(rf"(?P<stem>{_LEFT}\p{{L}}{{{stem},}})(?P<ending>{_any_of(endings)}){_RIGHT}")
    pattern = regex.compile("|".join(alternatives), regex.IGNORECASE)
    return Phrases(pattern, {**anywhere, **before}, endings, frozenset(entry.get("whole_words", ())))


def _any_of(phrases: Mapping[str, str]) -> str:
    longest_first = sorted(phrases, key=len, reverse=True)
    return "|".join(regex.escape(phrase).replace("'", "['’]") for phrase in longest_first)


def phrase_edits(text: str, phrases: Phrases) -> Iterator[Edit]:
    """Yield the edits that make every phrase short; capitals at the start of a phrase are kept."""
    for match in phrases.pattern.finditer(text):
        kind = match.lastgroup
        if kind == "left_out":
            yield Edit(match.start(), match.end(), "")
        elif kind == "ending":
            if match.group().casefold() not in phrases.whole:
                ending = match.group("ending")
                yield Edit(match.start("ending"), match.end(), like_case(ending, phrases.endings[ending.casefold()]))
        else:
            found = match.group()
            yield Edit(match.start(), match.end(), _cased(found, phrases.short[found.casefold().replace("’", "'")]))


def _cased(found: str, short: str) -> str:
    return like_case(found, short) if short[:1].isalpha() else short
