"""Phrases that a register writes shorter, from a table: whole phrases, endings of words, and what is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import regex

from data_prep.register import Edit
from data_prep.register_tables import load_table
from data_prep.register_words import WORD, like_case

_RIGHT = r"(?![\p{L}\p{M}\p{N}\u200c\u200d_]|['’]\p{L})"
_WORD_FOLLOWS = r"(?= \p{L})"


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language's table, ready to be looked for.

    Attributes:
        starting_with: First word of a phrase, case folded -> finds the longest phrase that begins there, a group each,
            and what each becomes, in the order of the groups.
        endings: Ending -> what it becomes.
        shortest_stem: Letters that stand before an ending at least.
        whole: Words that only look as if they had such an ending.
        left_out: Finds what is dropped; `None` where nothing is.
    """

    starting_with: Mapping[str, tuple[regex.Pattern[str], tuple[str, ...]]]
    endings: Mapping[str, str]
    shortest_stem: int
    whole: frozenset[str]
    left_out: regex.Pattern[str] | None


@cache
def phrases_of(table: str, tag: str) -> Phrases:
    """Return a language's phrases of a table; see the head of data_prep/register_tables/contractions.yaml."""
    entry: dict[str, Any] = load_table(table)[tag]
    anywhere, before = entry.get("phrases", {}), entry.get("before_a_word", {})
    by_first: dict[str, dict[str, tuple[str, str]]] = {}
    for phrases, follows in ((anywhere, _RIGHT), (before, _WORD_FOLLOWS)):
        for phrase, short in phrases.items():
            first = WORD.match(phrase)
            by_first.setdefault(_folded(first.group() if first else phrase), {})[phrase] = (short, follows)
    dropped = entry.get("left_out")
    return Phrases(
        {first: _longest_of(found) for first, found in by_first.items()},
        entry.get("endings", {}),
        int(entry.get("shortest_stem", 2)),
        frozenset(entry.get("whole_words", ())),
        regex.compile("|".join(dropped), regex.IGNORECASE) if dropped else None,
    )


def _folded(word: str) -> str:
    return word.casefold().replace("’", "'")


def _longest_of(phrases: Mapping[str, tuple[str, str]]) -> tuple[regex.Pattern[str], tuple[str, ...]]:
    longest_first = sorted(phrases, key=len, reverse=True)
    alternatives = (
        "(" + regex.escape(phrase).replace("'", "['’]") + ")" + phrases[phrase][1] for phrase in longest_first
    )
    # full case folding: the capitals of "grüße" are "GRÜSSE"
    found = regex.compile("|".join(alternatives), regex.IGNORECASE | regex.FULLCASE)
    return found, tuple(phrases[phrase][0] for phrase in longest_first)


def phrase_edits(text: str, phrases: Phrases, words: Iterable[tuple[int, int, str]]) -> list[Edit]:
    """Return the edits that make every phrase short, in order; capitals at the start of a phrase are kept.

    Args:
        text: The text.
        phrases: What to look for.
        words: The text's words as (start, end, word).
    """
    edits: list[Edit] = []
    done = 0
    suffixes = tuple(phrases.endings)
    for start, end, word in words:
        if start < done or (start > 0 and text[start - 1] in _JOINED):
            continue
        folded = _folded(word)
        pattern, shorts = phrases.starting_with.get(folded, (None, ()))
        match = pattern.match(text, start) if pattern is not None else None
        if match is not None:
            done = match.end()
            edits.append((start, done, _like(match.group(), shorts[(match.lastindex or 1) - 1])))
        elif suffixes and folded.endswith(suffixes) and folded not in phrases.whole:
            ending = next(suffix for suffix in suffixes if folded.endswith(suffix))
            if len(word) - len(ending) >= phrases.shortest_stem:
                put = phrases.endings[ending]
                edits.append((end - len(ending), end, put.upper() if word.isupper() else put))
    return _with_left_out(text, phrases, edits) if phrases.left_out is not None else edits


_JOINED = frozenset("0123456789_'’")
"""Signs before a word that make it a part of something longer."""


def _like(found: str, put: str) -> str:
    return like_case(found, put) if put[:1].isalpha() else put


def _with_left_out(text: str, phrases: Phrases, edits: list[Edit]) -> list[Edit]:
    assert phrases.left_out is not None
    covered = {place for start, end, _ in edits for place in range(start, end)}
    dropped = [match.span() for match in phrases.left_out.finditer(text)]
    free = [(start, end, "") for start, end in dropped if covered.isdisjoint(range(start, end))]
    return sorted(edits + free)
