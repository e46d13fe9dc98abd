"""One rater's ratings of a run as columns, aligned with the item table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelguard.rating import Rating, Status
from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.measures import RaterSummary
from evaluation.metrics.levels import MISSING
from evaluation.rater import Observant, Rater
from evaluation.ratings_file import RatingsFile, rating_key

STATUSES = tuple(Status)
NOT_ASKED = -1


@dataclass(frozen=True, slots=True)
class RatingTable:
    """What one rater said about every item.

    Attributes:
        summary: Who the rater is.
        levels: Item x category, `MISSING` where there is no level (int8).
        statuses: Item x category, position in `STATUSES`, `NOT_ASKED` where the rater was not asked (int8).
        probabilities: Item x category, probability of a level above 1, NaN where there is none (float32).
        stale: Stored ratings that belong to other texts or other settings and do not count.
    """

    summary: RaterSummary
    levels: NDArray[np.int8]
    statuses: NDArray[np.int8]
    probabilities: NDArray[np.float32]
    stale: int = 0


def load_rating_table(
    file: RatingsFile, rater: Rater, kind: str, items: ItemTable, categories: Taxonomy
) -> RatingTable:
    """Read a rater's stored ratings into columns.

    Raises:
        UserError: A stored line is malformed.
        RuntimeError: Two stored ratings are of the same item.
    """
    place = {
        rating_key(str(item), str(key), rater.fingerprint): row
        for row, (item, key) in enumerate(zip(items.ids, items.keys, strict=True))
    }
    shape = (len(items), len(categories))
    levels = np.full(shape, MISSING, dtype=np.int8)
    statuses = np.full(shape, NOT_ASKED, dtype=np.int8)
    probabilities = np.full(shape, np.nan, dtype=np.float32)
    stale = 0
    for key, rating in file.read():
        row = place.get(key)
        if row is None:
            stale += 1
            continue
        if statuses[row, 0] != NOT_ASKED:
            raise RuntimeError(f"{file.path} holds two ratings of the item {rating.item}")
        _fill(row, rating, categories, levels, statuses, probabilities)
        if isinstance(rater, Observant):
            rater.observe(rating)
    summary = RaterSummary(rater.name, kind, rater.description, tuple(rater.covers), rater.fingerprint)
    return RatingTable(summary, levels, statuses, probabilities, stale)


def _fill(
    row: int,
    rating: Rating,
    categories: Taxonomy,
    levels: NDArray[np.int8],
    statuses: NDArray[np.int8],
    probabilities: NDArray[np.float32],
) -> None:
    for column, name in enumerate(categories.names):
        score = rating.scores[name]
        statuses[row, column] = STATUSES.index(score.status)
        if score.level is not None:
            levels[row, column] = score.level
        if score.probability is not None:
            probabilities[row, column] = score.probability
