"""Small labelled corpora and raters, made from a seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from babelguard import RTP_LX, Item, Role, Status
from evaluation.item_table import ItemTable, build_item_table
from evaluation.measures import RaterSummary
from evaluation.metrics.levels import MISSING
from evaluation.rating_table import STATUSES, RatingTable

OK = STATUSES.index(Status.OK)


def labelled_items(
    languages: Sequence[str] = ("de", "ko"), contents: int = 40, annotators: int = 3, seed: int = 0
) -> list[Item]:
    """Contents aligned over languages; annotators see a true level through some noise."""
    rng = np.random.default_rng(seed)
    items = []
    for content in range(contents):
        for tag in languages:
            labels = {}
            for category in RTP_LX:
                true = rng.integers(1, category.scale + 1)
                noise = rng.integers(-1, 2, size=annotators) * (rng.random(annotators) < 0.3)
                labels[category.name] = tuple(int(level) for level in np.clip(true + noise, 1, category.scale))
            items.append(
                Item(
                    id=f"{tag}/{content}",
                    text=f"text {content}",
                    language=tag,
                    source="made",
                    source_id=f"made/{content}",
                    subset="a" if content % 2 else "b",
                    labels=labels,
                )
            )
    return items


def benign_items(language: str, contents: int) -> list[Item]:
    return [
        Item(f"benign/{n}", f"benign {n}", language, "made", f"made/{n}", role=Role.BENIGN_COMPLETION)
        for n in range(contents)
    ]


def table_of(items: Sequence[Item]) -> ItemTable:
    return build_item_table(items, RTP_LX, "made")


def rating_table(
    items: ItemTable, name: str, covers: Sequence[str] = RTP_LX.names, seed: int = 1, void: Sequence[str] = ()
) -> RatingTable:
    """A rater that says what the first annotator said, or something at random."""
    rng = np.random.default_rng(seed)
    shape = (len(items), len(RTP_LX))
    levels = np.full(shape, MISSING, dtype=np.int8)
    statuses = np.full(shape, STATUSES.index(Status.NOT_COVERED), dtype=np.int8)
    for column, category in enumerate(RTP_LX):
        if category.name in covers:
            random = rng.integers(1, category.scale + 1, size=len(items))
            copied = items.raw[0, :, column] if items.annotators else random
            levels[:, column] = np.where((rng.random(len(items)) < 0.5) & (copied > 0), copied, random)
            statuses[:, column] = OK
    silent = np.isin(items.languages, void)
    levels[silent], statuses[silent] = MISSING, STATUSES.index(Status.VOID)
    probabilities = np.where(levels > 0, (levels > 1) * 0.8 + 0.1, np.nan).astype(np.float32)
    summary = RaterSummary(name, "made", "A made rater.", tuple(covers), "f")
    return RatingTable(summary, levels, statuses, probabilities)
