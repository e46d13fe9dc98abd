"""Labels of which the source publishes one a row: a gold label, a vote, a construction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelguard.aggregation import AggregatedLabel
from babelguard.item import Item
from data_prep.reading.row import Row
from data_prep.source_mapping import SourceMapping


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


def gold_text(
    row: Row, text: str, language: str, split: str | None, labels: Mapping[str, str], by: SourceMapping
) -> Item:
    """Return the item of a row that is one text with gold labels, and stands alone: no other item is the same content.

    Args:
        row: The row; the name of its file is the item's subset.
        text: Column of the text.
        language: BCP-47 tag.
        split: The split that the file is.
        labels: The source's label -> its value, all of them kept as metadata.
        by: What the labels say.
    """
    key = f"{by.source}/{row.path.stem}/{row.number}"
    return Item(
        id=key,
        text=row.text(text),
        language=language,
        source=by.source,
        source_id=key,
        subset=row.path.stem,
        split=split,
        **published(by.levels(labels), "gold"),
        metadata={**labels, "label_scale": by.scale.value},
        provenance=row.provenance(),
    )
