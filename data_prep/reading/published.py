"""Labels of which the source publishes one a row: a gold label, a vote, a construction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelguard.aggregation import AggregatedLabel


def published(levels: Mapping[str, int], rule: str) -> dict[str, Any]:
    """Return the `labels` and `aggregated` of an item whose annotators are not told apart.

    Args:
        levels: Category -> the level that the source publishes.
        rule: How the source came by it, in a word: ``gold``, ``vote``, ``construction``, ``topic``.
    """
    return {
        "labels": {category: (level,) for category, level in levels.items()},
        "aggregated": {category: AggregatedLabel(level, rule) for category, level in levels.items()},
    }
