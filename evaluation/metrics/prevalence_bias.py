"""Prevalence and bias indices: why a kappa is what it is (Byrt, Bishop and Carlin 1993)."""

import numpy as np
import numpy.typing as npt

from evaluation.metrics.confusion import as_confusions, confusion_matrix, contract, ratio
from evaluation.metrics.false_positive_rate import check_threshold
from evaluation.metrics.levels import FloatArray, Ratings


def prevalence_index(rater: Ratings, reference: Ratings, *, levels: int, threshold: int = 1) -> float:
    """Returns the prevalence index of the two raters' flags (a level above `threshold` is a flag).

    PI = (a - d) / n, with a the items both flag and d the items neither flags. The indices are defined for
    2 x 2 tables; a longer scale is cut at the threshold first. Range -1 (neither ever flags) to 1 (both always
    flag); far from 0, kappa is low at the same agreement. NaN where no item was rated by both.

    Raises:
        ValueError: If the shapes differ, a value is off the scale or the threshold is not from 1 to K - 1.
    """
    confusion = confusion_matrix(rater, reference, levels=levels)
    return float(prevalence_index_from_confusion(confusion, threshold=threshold))


def bias_index(rater: Ratings, reference: Ratings, *, levels: int, threshold: int = 1) -> float:
    """Returns the bias index of the two raters' flags (a level above `threshold` is a flag).

    BI = (b - c) / n, with b the items only the rater flags and c the items only the reference flags: the
    rater's flag rate less the reference's. Byrt et al. use its size; the sign kept here says who flags more.
    Range -1 to 1. NaN where no item was rated by both.

    Raises:
        ValueError: If the shapes differ, a value is off the scale or the threshold is not from 1 to K - 1.
    """
    confusion = confusion_matrix(rater, reference, levels=levels)
    return float(bias_index_from_confusion(confusion, threshold=threshold))


def pabak(rater: Ratings, reference: Ratings, *, levels: int, threshold: int = 1) -> float:
    """Returns the prevalence-adjusted bias-adjusted kappa of the two raters' flags.

    PABAK = 2 p_o - 1, with p_o the agreement after the cut at `threshold`. The kappa of the cut table is
    (PABAK - PI^2 + BI^2) / (1 - PI^2 + BI^2). Range -1 to 1. NaN where no item was rated by both.

    Raises:
        ValueError: If the shapes differ, a value is off the scale or the threshold is not from 1 to K - 1.
    """
    confusion = confusion_matrix(rater, reference, levels=levels)
    return float(pabak_from_confusion(confusion, threshold=threshold))


def prevalence_index_from_confusion(confusion: npt.ArrayLike, *, threshold: int = 1) -> FloatArray:
    """Returns `prevalence_index` of each (..., K, K) confusion matrix, shape (...)."""
    both, _, _, neither = _flag_shares(confusion, threshold)
    return np.asarray(both - neither)


def bias_index_from_confusion(confusion: npt.ArrayLike, *, threshold: int = 1) -> FloatArray:
    """Returns `bias_index` of each (..., K, K) confusion matrix, shape (...)."""
    _, rater_only, reference_only, _ = _flag_shares(confusion, threshold)
    return np.asarray(rater_only - reference_only)


def pabak_from_confusion(confusion: npt.ArrayLike, *, threshold: int = 1) -> FloatArray:
    """Returns `pabak` of each (..., K, K) confusion matrix, shape (...)."""
    both, _, _, neither = _flag_shares(confusion, threshold)
    return np.asarray(2 * (both + neither) - 1)


def _flag_shares(confusion: npt.ArrayLike, threshold: int) -> tuple[FloatArray, ...]:
    """Returns the shares of items flagged by both, the rater only, the reference only and neither."""
    c = as_confusions(confusion)
    check_threshold(threshold, c.shape[-1])
    flag = np.arange(c.shape[-1]) >= threshold
    quadrants = [np.outer(flag, flag), np.outer(~flag, flag), np.outer(flag, ~flag), np.outer(~flag, ~flag)]
    counts = contract(c, np.stack(quadrants, axis=-1))
    shares = ratio(counts, counts.sum(axis=-1, keepdims=True))
    return tuple(np.asarray(shares[..., quadrant]) for quadrant in range(4))
