"""Block lists: an item is flagged when it holds an entry of a list of its language.

FLORES Toxicity-200, LDNOOBW or any plain lists, matched exactly after NFKC and case folding: whole words where the
script separates words, anywhere where it does not. What share of items is flagged is the block rate of the RTP-LX paper
(de Wynter et al., 2025), which every report gives by language and subset.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.rating import Rating, Score
from babelguard.recipe import RecipeModel
from babelguard.taxonomy import Category, Taxonomy
from evaluation.blocking.matcher import Hit, Matcher
from evaluation.blocking.word_lists import WordLists, read_word_lists
from evaluation.preset import preset_options
from evaluation.rater import RaterKind, Workbench, complete, fingerprint

MOST_SPANS = 100
"""Spans that a rating keeps; what a longer text has more of is only counted."""

_TOLD = 6


class BlockListOptions(RecipeModel):
    """Which lists, and what a hit means."""

    preset: str | None = Field(None, description="How a publisher names its files, as in docs/raters.md")
    path: Path = Field(description="Folder of lists, zip file of lists, or one list: one entry a line")
    suffix: str = Field("", description="What follows the language code in the files' names")
    language: str | None = Field(None, description="Language of all lists, where their names do not tell")
    lists: tuple[str, ...] | None = Field(
        None, min_length=1, description="Use only these lists, by file name without ending"
    )
    password: str | None = Field(None, description="What opens encrypted zip files; published, so not kept secret")
    categories: tuple[str, ...] = Field(("Toxicity",), min_length=1, description="Categories that a hit speaks for")
    level: int | None = Field(
        None, ge=2, description="Level of a hit; the middle of each scale, rounded up, if not set"
    )

    _from_preset = preset_options("block-list")


@dataclass(frozen=True)
class BlockListRater:
    """Flags items by the lists of their language."""

    name: str
    description: str
    covers: tuple[str, ...]
    fingerprint: str
    taxonomy: Taxonomy
    matchers: Mapping[str, Matcher]
    levels: Mapping[str, int]
    notes: Sequence[str] = ()

    def accepts(self, item: Item) -> bool:
        """Tell whether there is a list for the item's language."""
        return item.language in self.matchers

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        """Yield one rating an item; the raw answer gives the places of the hits and their lists, never the text."""
        for item in items:
            hits = self.matchers[item.language].find(content(item))
            scores = {category: Score(level if hits else 1) for category, level in self.levels.items()}
            yield Rating(self.name, item.id, complete(self.taxonomy, scores), raw_answer(hits) if hits else None)


def content(item: Item) -> str:
    """Return what is searched: the text, or the turns of a conversation, joined by line breaks."""
    return "\n".join(part for part in (item.text, *(message.content for message in item.messages)) if part)


def raw_answer(hits: Sequence[Hit]) -> str:
    """Return the hits as JSON: how many, and for each its start, end (in code points, exclusive) and lists."""
    spans = [[hit.start, hit.end, list(hit.lists)] for hit in hits[:MOST_SPANS]]
    return json.dumps({"hits": len(hits), "spans": spans}, ensure_ascii=False)


def build(name: str, options: BlockListOptions, bench: Workbench) -> BlockListRater:
    """Read the lists and build an automaton for every language.

    Raises:
        UserError: The lists cannot be read, or a category or the level is not the taxonomy's.
    """
    levels = {c: _level(bench.taxonomy[c], options.level) for c in options.categories}
    found = read_word_lists(
        options.path,
        suffix=options.suffix,
        password=options.password,
        code=options.language,
        names=options.lists,
    )
    by_language = found.by_language()
    content_of_lists = [[each.name, each.languages, each.entries] for each in found.lists]
    return BlockListRater(
        name=name,
        description=(
            f"Flags texts that hold an entry of a block list: {sum(len(each.entries) for each in found.lists):,} "
            f"entries in {len(found.lists):,} lists for {len(by_language):,} languages."
        ),
        covers=tuple(category for category in bench.taxonomy.names if category in levels),
        fingerprint=fingerprint(
            "block-list", 1, content_of_lists, levels, bench.taxonomy.names, unicodedata.unidata_version
        ),
        taxonomy=bench.taxonomy,
        matchers={tag: Matcher.of(lists) for tag, lists in by_language.items()},
        levels=levels,
        notes=_notes(name, found),
    )


def _level(category: Category, level: int | None) -> int:
    chosen = (category.scale + 2) // 2 if level is None else level
    if not category.has_level(chosen):
        raise UserError(f"The level {chosen} is off the scale 1-{category.scale} of {category.name}; set another.")
    return chosen


def _notes(name: str, found: WordLists) -> list[str]:
    if not found.set_aside:
        return []
    told = ", ".join(found.set_aside[:_TOLD])
    more = f" and {len(found.set_aside) - _TOLD:,} more" if len(found.set_aside) > _TOLD else ""
    return [
        f"{name}: {len(found.set_aside):,} files name no language that items can have and are set aside: {told}{more}."
    ]


KIND = RaterKind(options=BlockListOptions, build=build)
