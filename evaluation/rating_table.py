"""One rater's ratings of a run as columns, aligned with the item table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from babelguard.rating import Rating, Status
from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.measures import RaterSummary
from evaluation.metrics.levels import MISSING
from evaluation.rater import Rater
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
        void: Reason -> language -> how many items the rater is void for.
        retried: Stored ratings that failed and were asked for again; the later one of an item counts.
    """

    summary: RaterSummary
    levels: NDArray[np.int8]
    statuses: NDArray[np.int8]
    probabilities: NDArray[np.float32]
    stale: int = 0
    void: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    retried: int = 0

    def at(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> RatingTable:
        """Return the ratings of some items, by mask or by position; the counts stay those of the whole."""
        return replace(
            self,
            levels=self.levels[rows],
            statuses=self.statuses[rows],
            probabilities=self.probabilities[rows],
        )


def summary_of(rater: Rater, kind: str) -> RaterSummary:
    """Return who a rater is, without the rater."""
    return RaterSummary(rater.name, kind, rater.description, tuple(rater.covers), rater.fingerprint)


def load_rating_table(
    file: RatingsFile,
    summary: RaterSummary,
    items: ItemTable,
    categories: Taxonomy,
    observe: Callable[[Rating], None] | None = None,
) -> RatingTable:
    """Read a rater's stored ratings into columns. Of an item whose rating failed, the last one counts.

    Args:
        file: Where they are stored.
        summary: Who the rater is; ratings under another fingerprint are stale.
        items: What was rated.
        categories: The taxonomy.
        observe: Is given every rating that counts.

    Raises:
        UserError: A stored line is malformed, off a scale, or the second one of an item that did not fail before.
    """
    place = {
        rating_key(str(item), str(key), summary.fingerprint): row
        for row, (item, key) in enumerate(zip(items.ids, items.keys, strict=True))
    }
    shape = (len(items), len(categories))
    levels = np.full(shape, MISSING, dtype=np.int8)
    statuses = np.full(shape, NOT_ASKED, dtype=np.int8)
    probabilities = np.full(shape, np.nan, dtype=np.float32)
    stale = retried = 0
    void: dict[str, dict[str, int]] = {}
    last = {key: number for number, (key, _) in enumerate(file.read())}
    for number, (key, rating) in enumerate(file.read()):
        row = place.get(key)
        if row is None:
            stale += 1
            continue
        if number < last[key]:
            if not rating.failed:
                raise UserError(f"{file.path} holds two ratings of the item {rating.item}; delete one of the lines.")
            retried += 1
            continue
        if problem := _problem(rating, categories):
            raise UserError(
                f"{file.path}: the rating of {rating.item} {problem}; delete its line to have it rated again."
            )
        _fill(row, rating, categories, levels, statuses, probabilities)
        _count_void(rating, str(items.languages[row]), void)
        if observe is not None:
            observe(rating)
    return RatingTable(summary, levels, statuses, probabilities, stale, void, retried)


def _problem(rating: Rating, categories: Taxonomy) -> str | None:
    """Return what is wrong with a stored rating: it may have been edited by hand."""
    if set(rating.scores) != set(categories.names):
        return f"is not for the categories of {categories.name}"
    for category in categories:
        level = rating.scores[category.name].level
        if level is not None and not category.has_level(level):
            return f"has the level {level} for {category.name}, off the scale 1-{category.scale}"
    return None


def _count_void(rating: Rating, tag: str, void: dict[str, dict[str, int]]) -> None:
    if all(score.status is Status.VOID for score in rating.scores.values()):
        reason = next(iter(rating.scores.values())).detail or "no reason given"
        counts = void.setdefault(reason, {})
        counts[tag] = counts.get(tag, 0) + 1


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
