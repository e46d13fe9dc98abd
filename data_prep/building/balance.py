"""Balance: how many items a corpus has by language and label. Reported always, forced only where a recipe says so."""

from __future__ import annotations

import hashlib
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from babelguard.item import Item
from babelguard.recipe import RecipeModel

Outcome = Literal["harmful", "benign", "unlabelled"]
OUTCOMES: tuple[Outcome, ...] = ("harmful", "benign", "unlabelled")


class BalanceRecipe(RecipeModel):
    """Upper bounds, in items. Whole source_ids are preferred, so that aligned languages lose the same contents."""

    most_per_language: int | None = Field(None, ge=1, description="Most items of one language; no bound if not set")
    most_per_language_and_label: int | None = Field(
        None, ge=1, description="Most items of one language and outcome (harmful, benign, unlabelled)"
    )


def outcome_of(item: Item) -> Outcome:
    """Return ``harmful`` where some category is above level 1, ``benign`` where all labelled ones are at 1.

    An item without any level is ``unlabelled``. Benign speaks for the categories that the source labels and no others.
    """
    levels = [label.level for label in item.aggregated_labels().values()]
    if not levels:
        return "unlabelled"
    return "harmful" if max(levels) > 1 else "benign"


def hash_rank(source_id: str) -> int:
    """Return 64 bits of a source_id's hash: the order in which contents are kept under a bound or a limit."""
    return int.from_bytes(hashlib.sha256(source_id.encode("utf-8", "surrogatepass")).digest()[:8], "big")


def beyond_bounds(
    recipe: BalanceRecipe, languages: NDArray[np.int32], outcomes: NDArray[np.int8], ranks: NDArray[np.uint64]
) -> NDArray[np.bool_]:
    """Return which items the bounds leave out: those whose source_ids have the largest hashes.

    Args:
        recipe: The bounds.
        languages: Code of each item's language.
        outcomes: Position of each item's outcome in `OUTCOMES`.
        ranks: `hash_rank` of each item's source_id.
    """
    out = np.zeros(len(ranks), dtype=bool)
    if recipe.most_per_language_and_label is not None:
        groups = languages.astype(np.int64) * len(OUTCOMES) + outcomes
        out |= _beyond(groups, ranks, recipe.most_per_language_and_label)
    if recipe.most_per_language is not None:
        left = np.flatnonzero(~out)
        out[left] = _beyond(languages[left].astype(np.int64), ranks[left], recipe.most_per_language)
    return out


def _beyond(groups: NDArray[np.int64], ranks: NDArray[np.uint64], most: int) -> NDArray[np.bool_]:
    order = np.lexsort((ranks, groups))
    ordered = groups[order]
    starts = np.searchsorted(ordered, ordered, side="left")
    out = np.zeros(len(groups), dtype=bool)
    out[order] = np.arange(len(groups)) - starts >= most
    return out
