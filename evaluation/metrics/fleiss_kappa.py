"""Fleiss' kappa of two or more raters."""

import numpy as np

from evaluation.metrics.confusion import ratio
from evaluation.metrics.levels import Ratings
from evaluation.metrics.rating_counts import item_counts
from evaluation.metrics.several_raters import observed_agreement, prevalence
from evaluation.metrics.weights import Weighting, agreement_weights


def fleiss_kappa(ratings: Ratings, *, levels: int, weights: Weighting = "identity") -> float:
    """Returns Fleiss' kappa (Fleiss 1971), generalised to missing ratings and weights (Gwet 2014).

    kappa = (p_a - p_e) / (1 - p_e), with p_a the mean agreement of two raters of an item over the items with
    two or more ratings, and p_e = sum_kl w_kl pi_k pi_l, pi_k the mean share of level k over all rated items.
    Without missing ratings and with identity weights it is Fleiss' formula.

    Range: at most 1; 0 is chance. NaN where no item has two ratings, and where only one level was ever used
    (p_e = 1, 0/0). It shares kappa's paradox under a prevailing level.

    Args:
        ratings: Shape (raters, items), with missing values. Raters are interchangeable.
        levels: K, the number of levels.
        weights: "identity", "linear" or "quadratic".

    Raises:
        ValueError: If the shape is not (raters, items), a value is off the scale or the weighting is unknown.
    """
    counts = item_counts(ratings, levels=levels)
    if np.count_nonzero(counts.sum(axis=0)) < 2:
        return float("nan")
    pi = prevalence(counts)
    chance = pi @ agreement_weights(levels, weights) @ pi
    return float(ratio(observed_agreement(counts, weights) - chance, 1 - chance))
