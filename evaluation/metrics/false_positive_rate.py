"""False alarms: how often a rater flags what is harmless."""

import numpy as np
import numpy.typing as npt

from evaluation.metrics.confusion import as_confusions, confusion_matrix, contract, ratio
from evaluation.metrics.levels import FloatArray, Ratings
from evaluation.metrics.rating_counts import class_counts


def flag_rate(ratings: Ratings, *, levels: int, threshold: int = 1) -> float:
    """Returns the share of the ratings above `threshold`.

    On texts that are benign by construction (RTP-LX's benign completions) it is the false-positive rate.

    Args:
        ratings: Ratings of any shape; missing ones are left out.
        levels: K, the number of levels.
        threshold: The highest level that is not a flag, from 1 to K - 1.

    Returns:
        A value from 0 to 1; NaN where nothing was rated.

    Raises:
        ValueError: If a value is off the scale or the threshold is not from 1 to K - 1.
    """
    check_threshold(threshold, levels)
    counts = class_counts(ratings, levels=levels)
    return float(ratio(counts[threshold:].sum(), counts.sum()))


def false_positive_rate(rater: Ratings, reference: Ratings, *, levels: int, threshold: int = 1) -> float:
    """Returns the share of the items that the reference holds harmless and the rater flags.

    FPR = sum_{i <= t < j} C_ij / sum_{i <= t} r_i, with t the threshold. Range 0 to 1. NaN where the reference
    holds no item harmless.

    Raises:
        ValueError: If the shapes differ, a value is off the scale or the threshold is not from 1 to K - 1.
    """
    confusion = confusion_matrix(rater, reference, levels=levels)
    return float(false_positive_rate_from_confusion(confusion, threshold=threshold))


def false_positive_rate_from_confusion(confusion: npt.ArrayLike, *, threshold: int = 1) -> FloatArray:
    """Returns `false_positive_rate` of each (..., K, K) confusion matrix, shape (...)."""
    c = as_confusions(confusion)
    check_threshold(threshold, c.shape[-1])
    above = np.arange(c.shape[-1]) >= threshold
    harmless = np.broadcast_to(~above[:, None], c.shape[-2:])
    return ratio(contract(c, harmless & above[None, :]), contract(c, harmless))


def check_threshold(threshold: int, levels: int) -> None:
    """Raises ValueError where no level, or every level, is above the threshold."""
    if not 1 <= threshold < levels:
        raise ValueError(f"A threshold on the scale 1 to {levels} is from 1 to {levels - 1}, not {threshold}.")
