"""Percentage agreement: how often two raters gave the same level."""

import numpy as np
import numpy.typing as npt

from evaluation.metrics.confusion import as_confusions, confusion_matrix, contract, margins, ratio
from evaluation.metrics.levels import FloatArray, Ratings


def percentage_agreement(rater: Ratings, reference: Ratings, *, levels: int) -> float:
    """Returns the share of items on which two raters gave the same level.

    p_o = sum_k C_kk / n, over the items both rated. Range 0 to 1 (a share, not 0 to 100). NaN where no item
    was rated by both. It is not corrected for chance: where one level prevails, two raters who guess agree.

    Raises:
        ValueError: If the shapes differ or a value is off the scale.
    """
    return float(percentage_agreement_from_confusion(confusion_matrix(rater, reference, levels=levels)))


def percentage_agreement_from_confusion(confusion: npt.ArrayLike) -> FloatArray:
    """Returns `percentage_agreement` of each (..., K, K) confusion matrix, shape (...)."""
    c = as_confusions(confusion)
    n, _, _ = margins(c)
    return ratio(contract(c, np.eye(c.shape[-1])), n)
