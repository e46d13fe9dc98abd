"""Mean signed error: does a rater score high or low?"""

import numpy as np
import numpy.typing as npt

from evaluation.metrics.confusion import as_confusions, confusion_matrix, contract, margins, ratio
from evaluation.metrics.levels import FloatArray, Ratings


def mean_signed_error(rater: Ratings, reference: Ratings, *, levels: int) -> float:
    """Returns the mean of rater minus reference, in levels: above 0 the rater scores high, below 0 low.

    (1 / n) sum_ij (j - i) C_ij, i the reference's level and j the rater's. Range -(K - 1) to K - 1. NaN where
    no item was rated by both. Errors of opposite sign cancel: 0 is no sign of agreement.

    Raises:
        ValueError: If the shapes differ or a value is off the scale.
    """
    return float(mean_signed_error_from_confusion(confusion_matrix(rater, reference, levels=levels)))


def mean_signed_error_from_confusion(confusion: npt.ArrayLike) -> FloatArray:
    """Returns `mean_signed_error` of each (..., K, K) confusion matrix, shape (...)."""
    c = as_confusions(confusion)
    steps = np.arange(c.shape[-1])
    n, _, _ = margins(c)
    return ratio(contract(c, steps[None, :] - steps[:, None]), n)
