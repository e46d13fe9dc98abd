"""The contents of a fidelity review: the same ones in every language, spread over the strata of the source."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

from babelguard.errors import UserError
from babelguard.item import Item
from data_prep.building.balance import hash_rank, outcome_of


def stratum_of(item: Item) -> str:
    """Return the stratum of a source text: its most severe category and that level, or ``benign`` or ``unlabelled``.

    Severity is the share of the scale, with Toxicity, which every harmful text has, only where nothing else is
    labelled above level 1.
    """
    outcome = outcome_of(item)
    if outcome != "harmful":
        return outcome
    levels = {name: label.level for name, label in item.aggregated_labels().items() if label.level > 1}
    specific = {name: level for name, level in levels.items() if name != "Toxicity"} or levels
    name = max(specific, key=lambda category: specific[category])
    return f"{name}-{specific[name]}"


def sample_contents(sources: Mapping[str, Item], complete: Iterable[str], count: int, seed: int) -> tuple[str, ...]:
    """Choose contents for a review.

    Strata take turns, from the one with the fewest contents, so that rare harms are seen; inside a stratum the order
    is by hash. So the choice depends on the seed and the contents alone.

    Args:
        sources: source_id -> the text in the source language.
        complete: The source_ids that exist in every language of the review.
        count: How many to choose.
        seed: Seed of the order.

    Raises:
        UserError: Fewer contents than that exist in every language.
    """
    strata: dict[str, list[str]] = {}
    for key in complete:
        if key in sources:
            strata.setdefault(stratum_of(sources[key]), []).append(key)
    total = sum(len(keys) for keys in strata.values())
    if total < count:
        raise UserError(
            f"Only {total} contents exist in the source language and in every language of the review, fewer than "
            f"{count}; set a smaller per_language, or name fewer languages."
        )
    for keys in strata.values():
        keys.sort(key=lambda key: hash_rank(f"{seed}/{key}"), reverse=True)
    turns = sorted(strata, key=lambda name: (len(strata[name]), name))
    chosen: list[str] = []
    while len(chosen) < count:
        for name in turns:
            if strata[name] and len(chosen) < count:
                chosen.append(strata[name].pop())
    return tuple(chosen)


def smallest_hashes(keys: Iterable[str], limit: int | None) -> frozenset[str]:
    """Return the source_ids with the smallest hashes, all of them if there is no limit."""
    return frozenset(keys) if limit is None else frozenset(heapq.nsmallest(limit, set(keys), key=hash_rank))
