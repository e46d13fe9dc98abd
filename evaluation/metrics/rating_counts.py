"""Counts of ratings: by level, and by item and level."""

import numpy as np

from evaluation.metrics.confusion import ratio
from evaluation.metrics.levels import FloatArray, IntArray, Ratings, as_levels, as_table


def class_counts(ratings: Ratings, *, levels: int) -> IntArray:
    """Counts the ratings at each level.

    Args:
        ratings: Ratings of any shape; missing ones are left out.
        levels: K, the number of levels.

    Returns:
        A (K,) array; its sum is n.

    Raises:
        ValueError: If a value is off the scale.
    """
    flat = as_levels(ratings, levels).ravel()
    return np.array([np.count_nonzero(flat == level) for level in range(1, levels + 1)], dtype=np.int64)


def class_distribution(ratings: Ratings, *, levels: int) -> FloatArray:
    """Returns the share of the ratings at each level, shape (K,); all NaN where nothing was rated.

    Raises:
        ValueError: If a value is off the scale.
    """
    counts = class_counts(ratings, levels=levels)
    return ratio(counts, counts.sum())


def item_counts(ratings: Ratings, *, levels: int) -> IntArray:
    """Counts, for each item, the raters who gave each level.

    Args:
        ratings: Shape (raters, items), with missing values.
        levels: K, the number of levels.

    Returns:
        An (items, K) array; a row's sum is the number of ratings of that item.

    Raises:
        ValueError: If the shape is not (raters, items) or a value is off the scale.
    """
    table = as_table(ratings, levels)
    return np.stack([(table == level).sum(axis=0) for level in range(1, levels + 1)], axis=1).astype(np.int64)
