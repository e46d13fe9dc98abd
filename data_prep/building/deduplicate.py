"""Exact duplicates: the same normalised text in the same language, role and register, from any source."""

from __future__ import annotations

import hashlib
from typing import Literal

from pydantic import Field

from babelguard.item import Item
from babelguard.recipe import RecipeModel


class NearRecipe(RecipeModel):
    """How near-duplicates are found: MinHash over character n-grams (see `near_duplicates`)."""

    threshold: float = Field(0.8, gt=0.0, lt=1.0, description="Jaccard similarity (0-1) of n-grams from which on")
    permutations: int = Field(128, ge=16, le=1024, description="Length of a MinHash signature")
    seed: int = Field(1, ge=0, description="Seed of the permutations")
    action: Literal["group", "drop"] = Field("group", description="group: keep in one split; drop: keep the first")


class DeduplicateRecipe(RecipeModel):
    """What happens to texts that stand twice."""

    exact: Literal["drop", "keep"] = Field("drop", description="drop: the first of equal texts stays")
    near: NearRecipe | None = NearRecipe()


class ExactDuplicates:
    """Remembers 17 bytes a text, and the item that had it first."""

    def __init__(self) -> None:
        """Start with no text seen."""
        self._first: dict[bytes, str] = {}

    def first_with(self, item: Item, split: int) -> str | None:
        """Return the id of the earlier item with this content, or `None` and remember this one.

        Args:
            item: The item.
            split: The split that its source fixed. Equal texts of different splits are not compared here, because the
                one in the earlier split is to stay whatever the order of reading.
        """
        first = self._first.setdefault(exact_key(item) + bytes([split & 0xFF]), item.id)
        return None if first == item.id else first


def exact_key(item: Item) -> bytes:
    """Return 16 bytes that two items share when their text, turns, language, role and register are equal."""
    turns = "".join(f"\x00{turn.role}\x01{turn.content}" for turn in item.messages)
    seen = "\x02".join((item.language, item.role.value, item.register, item.text, turns))
    return hashlib.blake2b(seen.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def text_hash(text: str) -> int:
    """Return 64 bits (signed) of a text's hash, whatever its language, role and register."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
