"""Words and grapheme clusters, as registers see them, in any script."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

import regex

UNSPACED_SCRIPTS = frozenset({"Hans", "Hant", "Jpan", "Thai"})
"""Scripts whose words are not set apart by spaces: a run of letters is a phrase."""

WORD = regex.compile(r"\p{L}[\p{L}\p{M}\u200c\u200d]*(?:['’]\p{L}[\p{L}\p{M}\u200c\u200d]*)*")
"""A letter and what follows of letters, marks and joiners, with apostrophes within."""

_ASCII_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)*")  # the same in ASCII texts, in half the time

LONE = r"(?![\p{GCB=Extend}\p{GCB=SpacingMark}\u200d])"
"""Pattern to put behind a letter's: nothing combines with the letter, so that it is a grapheme cluster of its own."""

_COMBINES = regex.compile(r"[\p{GCB=Extend}\p{GCB=SpacingMark}\u200d]")
_LINKS = regex.compile(r"\p{CCC=9}[\p{GCB=Extend}\u200d]*")  # a virama ties the next letter to the one before
_CLUSTER = regex.compile(r"\X")


def cluster_bounds(text: str, start: int, end: int) -> list[int]:
    """Return where the grapheme clusters (Unicode TR29, extended) between two positions begin, and the end.

    What a reader takes for one letter, such as a consonant with its vowel signs or an emoji joined of several, is one
    cluster.
    """
    if text.isascii():
        return list(range(start, end + 1))
    return [start, *(match.end() for match in _CLUSTER.finditer(text, start, end))]


def clusters(text: str, start: int, end: int) -> list[str]:
    """Return the grapheme clusters between two positions."""
    return list(text[start:end]) if text.isascii() else _CLUSTER.findall(text, start, end)


def words(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, word) for every word."""
    for match in _ASCII_WORD.finditer(text) if text.isascii() else WORD.finditer(text):
        yield *match.span(), match.group()


def lone_letters(text: str, letters: Container[str]) -> list[int]:
    """Return where one of the letters is a grapheme cluster of its own."""
    places = [place for place, letter in enumerate(text) if letter in letters]
    if text.isascii():
        return places
    bound = {match.start() - 1 for match in _COMBINES.finditer(text)}
    if bound:
        bound |= {match.end() for match in _LINKS.finditer(text)}
    return [place for place in places if place not in bound] if bound else places


def like_case(model: str, word: str) -> str:
    """Return `word` in capitals or with a capital where `model` has them."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


def lower(word: str, tag: str) -> str:
    """Return the word in lower case, with the two letters i of Turkish kept apart."""
    if tag == "tr":
        word = word.replace("İ", "i").replace("I", "ı")
    return word.lower()


def upper(word: str, tag: str) -> str:
    """Return the word in capitals, with the two letters i of Turkish kept apart."""
    if tag == "tr":
        word = word.replace("i", "İ")
    return word.upper()


_SENTENCE_SIGNS = r"[\p{Terminal_Punctuation}¡¿…]"
_FREE_SIGNS = regex.compile(rf"(?<!\w){_SENTENCE_SIGNS}+{LONE}|{_SENTENCE_SIGNS}+(?!\w){LONE}")
_ALL_SIGNS = regex.compile(rf"{_SENTENCE_SIGNS}+{LONE}")
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[!-~]*[A-Za-z0-9/&=#%_-]|[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", re.IGNORECASE
)
"""A web or mail address, without the signs behind it."""


def punctuation(text: str, script: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, what is left) for the signs that end or part sentences.

    Quotation marks stay, since what is quoted is judged otherwise, and so do signs within a word, number or address.
    Where words are not spaced, a sign between two of them leaves a space.
    """
    unspaced = script in UNSPACED_SCRIPTS
    addresses = [match.span() for match in _ADDRESS.finditer(text)] if "." in text else []
    for match in (_ALL_SIGNS if unspaced else _FREE_SIGNS).finditer(text):
        start, end = match.span()
        if any(begin <= start < stop for begin, stop in addresses):
            continue
        inside = start > 0 and end < len(text) and not text[start - 1].isspace() and not text[end].isspace()
        yield start, end, " " if unspaced and inside else ""
