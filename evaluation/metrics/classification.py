"""F1 and recall by level: the rater as a classifier, the reference as the truth."""

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from evaluation.metrics.confusion import as_confusions, confusion_matrix, margins, ratio
from evaluation.metrics.levels import FloatArray, Ratings

Absent: TypeAlias = Literal["skip", "zero"]


def macro_f1(rater: Ratings, reference: Ratings, *, levels: int, absent: Absent = "skip") -> float:
    """Returns the unweighted mean of the levels' F1.

    F1_k = 2 C_kk / (r_k + c_k), with r_k the reference's and c_k the rater's ratings at level k.

    Levels that neither gave have no F1 (0/0). absent="skip" averages over the levels that at least one of the
    two gave (scikit-learn's default); absent="zero" counts them as 0 and divides by K (scikit-learn with
    labels=1..K and zero_division=0), so that every figure has the same divisor and a perfect rater on data
    that lack a level scores below 1. A level that only one of the two gave has F1 = 0 either way.

    Range 0 to 1. NaN where no item was rated by both. It ignores the order of levels: 1 for 3 costs as much
    as 2 for 3.

    Raises:
        ValueError: If the shapes differ, a value is off the scale or `absent` is unknown.
    """
    return float(macro_f1_from_confusion(confusion_matrix(rater, reference, levels=levels), absent=absent))


def macro_f1_from_confusion(confusion: npt.ArrayLike, *, absent: Absent = "skip") -> FloatArray:
    """Returns `macro_f1` of each (..., K, K) confusion matrix, shape (...)."""
    if absent not in ("skip", "zero"):
        raise ValueError(f"absent is 'skip' or 'zero', not {absent!r}.")
    c = as_confusions(confusion)
    n, reference, rater = margins(c)
    given = reference + rater
    f1 = np.divide(2 * _diagonal(c), given, out=np.zeros_like(given), where=given > 0)
    divisor = (given > 0).sum(axis=-1) if absent == "skip" else np.where(n > 0, c.shape[-1], 0)
    return ratio(f1.sum(axis=-1), divisor)


def per_level_recall(rater: Ratings, reference: Ratings, *, levels: int) -> FloatArray:
    """Returns, for each level, the share of the reference's ratings at it that the rater gave too.

    recall_k = C_kk / r_k. Shape (K,), range 0 to 1, NaN at a level that the reference never gave.

    Raises:
        ValueError: If the shapes differ or a value is off the scale.
    """
    return per_level_recall_from_confusion(confusion_matrix(rater, reference, levels=levels))


def per_level_recall_from_confusion(confusion: npt.ArrayLike) -> FloatArray:
    """Returns `per_level_recall` of each (..., K, K) confusion matrix, shape (..., K)."""
    c = as_confusions(confusion)
    _, reference, _ = margins(c)
    return ratio(_diagonal(c), reference)


def _diagonal(confusions: FloatArray) -> FloatArray:
    return np.asarray(np.diagonal(confusions, axis1=-2, axis2=-1))
