"""Observed agreement and prevalence among two or more raters with missing ratings (Gwet 2014).

Fleiss' kappa and Gwet's AC share these two and differ in what they call chance.
"""

import numpy as np

from evaluation.metrics.levels import FloatArray, IntArray
from evaluation.metrics.weights import Weighting, agreement_weights


def observed_agreement(counts: IntArray, weights: Weighting) -> float:
    """Returns the mean, over items with two or more ratings, of the weighted agreement of two of its raters.

    p_a = mean_i sum_k r_ik (r*_ik - 1) / (r_i (r_i - 1)), with r*_ik = sum_l w_kl r_il.

    Args:
        counts: Ratings of each item at each level, shape (items, K).
        weights: The weighting w.

    Returns:
        A value from 0 to 1; NaN where no item has two ratings.
    """
    ratings = counts.sum(axis=1)
    pairable = counts[ratings >= 2].astype(np.float64)
    if not len(pairable):
        return float("nan")
    n = pairable.sum(axis=1)
    agreeing = (pairable * (pairable @ agreement_weights(counts.shape[1], weights) - 1)).sum(axis=1)
    return float((agreeing / (n * (n - 1))).mean())


def prevalence(counts: IntArray) -> FloatArray:
    """Returns the mean share of each level over the items with one or more ratings, shape (K,).

    Items with a single rating count here: they say nothing of agreement and something of prevalence.
    """
    rated = counts[counts.sum(axis=1) > 0]
    if not len(rated):
        return np.full(counts.shape[1], np.nan)
    return np.asarray((rated / rated.sum(axis=1, keepdims=True)).mean(axis=0))
