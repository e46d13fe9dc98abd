"""Spearman's rho and Kendall's tau-b of two raters, from the confusion matrix."""

import numpy as np
import numpy.typing as npt

from evaluation.metrics.confusion import as_confusions, confusion_matrix, margins, ratio
from evaluation.metrics.levels import FloatArray, Ratings


def spearman(rater: Ratings, reference: Ratings, *, levels: int) -> float:
    """Returns Spearman's rank correlation (Spearman 1904): Pearson's correlation of the midranks.

    Range -1 to 1. NaN where no item was rated by both or one of the two is constant on them. It measures
    whether two raters order the items alike and is blind to one of them scoring higher throughout: see
    `mean_signed_error`.

    Raises:
        ValueError: If the shapes differ or a value is off the scale.
    """
    return float(spearman_from_confusion(confusion_matrix(rater, reference, levels=levels)))


def kendall_tau_b(rater: Ratings, reference: Ratings, *, levels: int) -> float:
    """Returns Kendall's tau-b (Kendall 1945).

    tau_b = (P - Q) / sqrt((n_0 - n_1) (n_0 - n_2)), with P concordant and Q discordant pairs of items,
    n_0 = n (n - 1) / 2, and n_1, n_2 the pairs that are tied in the reference and in the rater.

    Range -1 to 1. NaN as for `spearman`.

    Raises:
        ValueError: If the shapes differ or a value is off the scale.
    """
    return float(kendall_tau_b_from_confusion(confusion_matrix(rater, reference, levels=levels)))


def spearman_from_confusion(confusion: npt.ArrayLike) -> FloatArray:
    """Returns `spearman` of each (..., K, K) confusion matrix, shape (...)."""
    c = as_confusions(confusion)
    _, reference, rater = margins(c)
    rows, columns = _centred_midranks(reference), _centred_midranks(rater)
    covariance = np.einsum("...i,...ij,...j->...", rows, c, columns)
    spread = np.einsum("...i,...i->...", reference, rows**2) * np.einsum("...i,...i->...", rater, columns**2)
    return ratio(covariance, np.sqrt(spread))


def kendall_tau_b_from_confusion(confusion: npt.ArrayLike) -> FloatArray:
    """Returns `kendall_tau_b` of each (..., K, K) confusion matrix, shape (...)."""
    c = as_confusions(confusion)
    n, reference, rater = margins(c)
    above = np.triu(np.ones((c.shape[-1], c.shape[-1])), k=1)
    balance = np.einsum("...ij,...ij->...", c, above @ c @ (above.T - above))
    untied = [n * (n - 1) - np.einsum("...i,...i->...", side, side - 1) for side in (reference, rater)]
    return ratio(2 * balance, np.sqrt(untied[0] * untied[1]))


def _centred_midranks(counts: FloatArray) -> FloatArray:
    """Returns each level's midrank less the mean rank (n + 1) / 2."""
    return np.asarray(np.cumsum(counts, axis=-1) - counts / 2 - counts.sum(axis=-1, keepdims=True) / 2)
