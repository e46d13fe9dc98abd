"""Binary use of a graded scale: a rater that knows "none" and one other level.

de Wynter et al. (2024) saw judges use RTP-LX's three-level scales as if there were two levels. A count of
levels ever used misses it (one stray rating hides it), and so does the share of the two most used levels
overall (harmless texts fill it); so level 1 is set aside.
"""

import numpy as np
import numpy.typing as npt

from evaluation.metrics.confusion import as_confusions, margins, ratio
from evaluation.metrics.levels import MISSING, FloatArray, Ratings, as_levels, as_table
from evaluation.metrics.rating_counts import class_counts


def binary_use(ratings: Ratings, *, levels: int) -> float:
    """Returns the share of the ratings above level 1 that sit on the most used of those levels.

    b = max_{k > 1} n_k / sum_{k > 1} n_k, with n_k the rater's ratings at level k. 1 is binary use; the least
    is 1 / (K - 1), levels above 1 used alike: from 1/2 to 1 on a three-level scale. NaN where nothing was
    rated above 1. The texts matter as well as the rater, so compare with people on the same items
    (`binary_use_excess`); with few ratings above 1, b is high by chance.

    Args:
        ratings: One rater's ratings, any shape; missing ones are left out.
        levels: K, the number of levels.

    Raises:
        ValueError: If a value is off the scale.
    """
    return float(_top_share(class_counts(ratings, levels=levels).astype(np.float64)))


def binary_use_excess(rater: Ratings, humans: Ratings, *, levels: int) -> float:
    """Returns how much more binary the rater's use of the scale is than people's on the same items.

    mean_h (b_h(rater) - b_h(h)), with b_h on the items that the rater and the human h both rated. Above 0 the
    rater grades less than people do. Range -(1 - 1 / (K - 1)) to 1 - 1 / (K - 1). NaN where, for some human,
    either of the two has no rating above 1 on their common items.

    Args:
        rater: Shape (items,).
        humans: Shape (humans, items).
        levels: K, the number of levels.

    Raises:
        ValueError: If the shapes do not match or a value is off the scale.
    """
    ours, table = as_levels(rater, levels), as_table(humans, levels)
    if ours.shape != table.shape[1:]:
        raise ValueError(f"The rater has {ours.shape} ratings and the humans have {table.shape}: not the same items.")
    common = (ours != MISSING) & (table != MISSING)
    excesses = [
        binary_use(ours[both], levels=levels) - binary_use(human[both], levels=levels)
        for human, both in zip(table, common, strict=True)
    ]
    return float(np.mean(excesses)) if excesses else float("nan")


def binary_use_from_confusion(confusion: npt.ArrayLike) -> FloatArray:
    """Returns the rater's (the columns') `binary_use` for each (..., K, K) confusion matrix, shape (...)."""
    _, _, rater = margins(as_confusions(confusion))
    return _top_share(rater)


def binary_use_excess_from_confusion(confusion: npt.ArrayLike) -> FloatArray:
    """Returns the rater's `binary_use` less the reference's for each (..., K, K) matrix, shape (...)."""
    _, reference, rater = margins(as_confusions(confusion))
    return np.asarray(_top_share(rater) - _top_share(reference))


def _top_share(counts: FloatArray) -> FloatArray:
    above = counts[..., 1:]
    return ratio(above.max(axis=-1), above.sum(axis=-1))
