"""A word list: an item is flagged in a category when its text holds one of the category's words.

The weakest rater worth having, and the one that most teams start from. It takes words after NFKC and case folding,
whole words where the script separates words and substrings where it does not.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.languages import language
from babelguard.rating import Rating, Score
from babelguard.recipe import RecipeModel, read_yaml
from babelguard.taxonomy import Category, Taxonomy
from data_prep.sources.sample import BUNDLED
from evaluation.rater import RaterKind, Workbench, complete, fingerprint

UNSEPARATED_SCRIPTS = frozenset({"Hans", "Hant", "Jpan", "Thai", "Laoo", "Khmr", "Mymr"})
OVERALL = "Toxicity"
"""The holistic category: flagged when any category's word is found."""


class WordListOptions(RecipeModel):
    """Which list."""

    path: Path = Field(BUNDLED / "word_list.yaml", description="YAML: language code -> category -> list of words")


def fold(text: str) -> str:
    """Return the text as it is compared: NFKC and case folded."""
    return unicodedata.normalize("NFKC", text).casefold()


def flag_level(category: Category) -> int:
    """Return the level that a found word stands for: the middle of the scale, rounded up."""
    return (category.scale + 2) // 2


@dataclass(frozen=True)
class WordListRater:
    """Flags items by their words."""

    name: str
    description: str
    covers: tuple[str, ...]
    fingerprint: str
    taxonomy: Taxonomy
    patterns: Mapping[str, Mapping[str, re.Pattern[str]]]
    notes: Sequence[str] = ()

    def accepts(self, item: Item) -> bool:
        """Tell whether there is a list for the item's language."""
        return item.language in self.patterns

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        """Yield one rating an item; the raw answer counts the found words by category, without showing them."""
        for item in items:
            content = fold("\n".join([item.text, *(message.content for message in item.messages)]))
            found = {c: len(set(p.findall(content))) for c, p in self.patterns[item.language].items()}
            found = {category: count for category, count in found.items() if count}
            scores = {}
            for category in self.taxonomy:
                if category.name in self.covers:
                    hit = bool(found) if category.name == OVERALL else category.name in found
                    scores[category.name] = Score(flag_level(category) if hit else 1)
            raw = ", ".join(f"{category}: {count}" for category, count in sorted(found.items()))
            yield Rating(self.name, item.id, complete(self.taxonomy, scores), raw or None)


def build(name: str, options: WordListOptions, bench: Workbench) -> WordListRater:
    """Read the list.

    Raises:
        UserError: The file is missing or malformed, or names an unknown language or category.
    """
    lists = read_yaml(options.path)
    patterns = {}
    for code, by_category in lists.items():
        known = language(str(code))
        whole_words = known.script not in UNSEPARATED_SCRIPTS
        if not isinstance(by_category, Mapping):
            raise UserError(f"{options.path}: {code} must map categories to lists of words.")
        patterns[known.tag] = {
            bench.taxonomy[str(category)].name: _pattern(words, whole_words, f"{options.path}: {code}.{category}")
            for category, words in by_category.items()
        }
    named = {category for by_category in patterns.values() for category in by_category}
    return WordListRater(
        name=name,
        description=f"Flags texts that hold one of {_count(lists)} listed words or phrases.",
        covers=tuple(c for c in bench.taxonomy.names if c in named or c == OVERALL),
        fingerprint=fingerprint("word-list", 1, lists, bench.taxonomy.names),
        taxonomy=bench.taxonomy,
        patterns=patterns,
    )


@cache
def word_characters() -> str:
    r"""Return the inside of a regular expression's class of word characters.

    ``\w`` alone leaves out combining marks, so that a vowel sign would end a word in Hindi, Thai or vowelled Arabic.
    """
    marks = [code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)).startswith("M")]
    runs = [[marks[0], marks[0]]]
    for code in marks[1:]:
        if code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return r"\w" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in runs)


def _pattern(words: object, whole_words: bool, where: str) -> re.Pattern[str]:
    if not isinstance(words, list) or not words or not all(isinstance(w, str) and w.strip() for w in words):
        raise UserError(f"{where} must be a list of words, none of them empty.")
    alternatives = "|".join(re.escape(fold(word.strip())) for word in sorted(set(words), key=len, reverse=True))
    inside = word_characters()
    return re.compile(rf"(?<![{inside}])(?:{alternatives})(?![{inside}])" if whole_words else alternatives)


def _count(lists: Mapping[str, Any]) -> int:
    return sum(len(words) for by_category in lists.values() for words in by_category.values())


KIND = RaterKind(options=WordListOptions, build=build)
