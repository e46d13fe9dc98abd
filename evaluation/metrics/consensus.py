"""The one level that stands for several annotators."""

from typing import Literal, TypeAlias

import numpy as np

from evaluation.metrics.levels import MISSING, IntArray, Ratings, as_table
from evaluation.metrics.rating_counts import item_counts

Half: TypeAlias = Literal["even", "up"]


def consensus(ratings: Ratings, *, levels: int, half: Half = "even") -> IntArray:
    """Aggregates annotators: the most frequent level if there is one such, else the rounded mean.

    Of three annotators: the majority; where all three differ, their mean, so (1, 2, 4) gives 2. In general:
    the mode where it is unique (a plurality is enough), else the mean of all the item's ratings, rounded. A
    mean of x.5 arises only with an even number of ratings. half="even" rounds it to the even level as NumPy
    does (1.5 and 2.5 both give 2); half="up" to the more severe one.

    Args:
        ratings: Shape (raters, items), with missing values; an item is aggregated over those who rated it.
        levels: K, the number of levels.
        half: What to do with a mean of x.5.

    Returns:
        Levels, shape (items,), with `MISSING` where nobody rated; every metric here accepts that.

    Raises:
        ValueError: If the shape is not (raters, items), a value is off the scale or `half` is unknown.
    """
    if half not in ("even", "up"):
        raise ValueError(f"half is 'even' or 'up', not {half!r}.")
    counts = item_counts(as_table(ratings, levels), levels=levels)
    n = counts.sum(axis=1)
    mean = (counts @ np.arange(1, levels + 1)) / np.maximum(n, 1)
    rounded = np.rint(mean) if half == "even" else np.floor(mean + 0.5)
    unique_mode = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
    level = np.where(unique_mode, counts.argmax(axis=1) + 1, rounded.astype(np.int64))
    return np.where(n > 0, level, MISSING)
