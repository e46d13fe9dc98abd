"""Every rating accounted for: levels and statuses by rater, language and category."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.measures import LevelCount, StatusCount
from evaluation.measuring.subject import MAJORITY, human_name, majority_levels
from evaluation.rating_table import STATUSES, RatingTable


def status_counts(tables: Sequence[RatingTable], items: ItemTable, categories: Taxonomy) -> Iterator[StatusCount]:
    """Yield how often each status came up; items that a rater was not asked about are not counted."""
    for table in tables:
        for tag in np.unique(items.languages):
            inside = table.statuses[items.languages == tag]
            for column, name in enumerate(categories.names):
                for position, status in enumerate(STATUSES):
                    count = int((inside[:, column] == position).sum())
                    if count:
                        yield StatusCount(table.summary.name, str(tag), name, status.value, count)


def level_counts(tables: Sequence[RatingTable], items: ItemTable, categories: Taxonomy) -> Iterator[LevelCount]:
    """Yield how often each level was chosen on labelled items, by people, their majority and every rater.

    A rater's levels count only where the item has a human label, so that the distributions are of the same texts.
    """
    truth = majority_levels(items, categories)
    sources: list[tuple[str, NDArray[np.int8]]] = [(MAJORITY, truth)]
    sources += [(human_name(number), items.raw[number]) for number in range(items.annotators)]
    sources += [(table.summary.name, table.levels) for table in tables]
    for rater, levels in sources:
        for tag in np.unique(items.languages):
            rows = items.languages == tag
            for column, category in enumerate(categories):
                chosen = levels[rows, column][truth[rows, column] > 0]
                for level in range(1, category.scale + 1):
                    count = int((chosen == level).sum())
                    if count:
                        yield LevelCount(rater, str(tag), category.name, level, count)
