"""Cohen's kappa, unweighted and weighted."""

import numpy as np
import numpy.typing as npt

from evaluation.metrics.confusion import as_confusions, confusion_matrix, contract, margins, ratio
from evaluation.metrics.levels import FloatArray, Ratings
from evaluation.metrics.weights import Weighting, level_distances


def cohen_kappa(rater: Ratings, reference: Ratings, *, levels: int, weights: Weighting = "identity") -> float:
    """Returns Cohen's kappa of two raters (Cohen 1960; weighted: Cohen 1968).

    kappa = 1 - n sum_ij d_ij C_ij / sum_ij d_ij r_i c_j, with the counts C, the reference's and the rater's
    margins r and c, and the distance d_ij = [i != j] (identity), |i - j| (linear) or (i - j)^2 (quadratic).
    The full scale is always used, so an unused level does not change the weights.

    Range -1 to 1; 0 is the agreement of independent raters with these margins. NaN (undefined) where no item
    was rated by both, and where both gave one and the same level throughout: then no disagreement was
    possible, and the formula is 0/0. Such raters agree perfectly and show nothing.

    It misleads where one level prevails: chance agreement is then high, and kappa low or negative at 95%
    agreement (the kappa paradox, Feinstein and Cicchetti 1990). Read it with `prevalence_index`,
    `bias_index` and `gwet_ac2`.

    Raises:
        ValueError: If the shapes differ, a value is off the scale or the weighting is unknown.
    """
    confusion = confusion_matrix(rater, reference, levels=levels)
    return float(cohen_kappa_from_confusion(confusion, weights=weights))


def cohen_kappa_from_confusion(confusion: npt.ArrayLike, *, weights: Weighting = "identity") -> FloatArray:
    """Returns `cohen_kappa` of each (..., K, K) confusion matrix, shape (...)."""
    c = as_confusions(confusion)
    distances = level_distances(c.shape[-1], weights)
    n, reference, rater = margins(c)
    expected = np.einsum("...i,...i->...", reference @ distances, rater)
    return np.asarray(1 - ratio(n * contract(c, distances), expected))
