"""Gwet's AC1 and AC2: agreement beyond chance that stays stable where one level prevails."""

import numpy as np
import numpy.typing as npt

from evaluation.metrics.confusion import as_confusions, confusion_matrix, contract, margins, ratio
from evaluation.metrics.levels import FloatArray, Ratings
from evaluation.metrics.rating_counts import item_counts
from evaluation.metrics.several_raters import observed_agreement, prevalence
from evaluation.metrics.weights import Weighting, agreement_weights


def gwet_ac1(rater: Ratings, reference: Ratings, *, levels: int) -> float:
    """Returns Gwet's AC1 of two raters (Gwet 2008): `gwet_ac2` with identity weights."""
    return gwet_ac2(rater, reference, levels=levels, weights="identity")


def gwet_ac2(rater: Ratings, reference: Ratings, *, levels: int, weights: Weighting = "quadratic") -> float:
    """Returns Gwet's AC2 of two raters on the items that both rated (Gwet 2008, 2014).

    AC2 = (p_a - p_e) / (1 - p_e), p_a = sum_ij w_ij C_ij / n,
    p_e = (sum_ij w_ij) / (K (K - 1)) * sum_k pi_k (1 - pi_k), pi_k = (r_k + c_k) / (2 n).

    Range: at most 1; below 0 where they agree less than chance. NaN only where no item was rated by both:
    two raters with one and the same level throughout get 1, because p_e is then 0.

    It misleads the other way round from kappa: with a prevailing level it is close to percentage agreement,
    so a rater who always answers "harmless" scores high. Read it with recall. p_e depends on K: values from
    scales of different length do not compare.

    Raises:
        ValueError: If the shapes differ, a value is off the scale or the weighting is unknown.
    """
    confusion = confusion_matrix(rater, reference, levels=levels)
    return float(gwet_ac2_from_confusion(confusion, weights=weights))


def gwet_ac1_from_confusion(confusion: npt.ArrayLike) -> FloatArray:
    """Returns `gwet_ac1` of each (..., K, K) confusion matrix, shape (...)."""
    return gwet_ac2_from_confusion(confusion, weights="identity")


def gwet_ac2_from_confusion(confusion: npt.ArrayLike, *, weights: Weighting = "quadratic") -> FloatArray:
    """Returns `gwet_ac2` of each (..., K, K) confusion matrix, shape (...)."""
    c = as_confusions(confusion)
    w = agreement_weights(c.shape[-1], weights)
    n, reference, rater = margins(c)
    pi = ratio(reference + rater, 2 * n[..., None])
    return _beyond_chance(ratio(contract(c, w), n), pi, w)


def gwet_ac(ratings: Ratings, *, levels: int, weights: Weighting = "identity") -> float:
    """Returns Gwet's AC1 (identity weights) or AC2 of two or more raters with missing ratings (Gwet 2014).

    p_a is the mean weighted agreement over items with two or more ratings, pi_k the mean share of level k
    over all rated items, and p_e as in `gwet_ac2`. An item with a single rating counts in pi alone; that is
    why, with missing ratings, two raters get another value here than from `gwet_ac2`.

    Args:
        ratings: Shape (raters, items), with missing values.
        levels: K, the number of levels.
        weights: "identity" (AC1), "linear" or "quadratic".

    Returns:
        A value of at most 1; NaN where no item has two ratings.

    Raises:
        ValueError: If the shape is not (raters, items), a value is off the scale or the weighting is unknown.
    """
    counts = item_counts(ratings, levels=levels)
    w = agreement_weights(levels, weights)
    return float(_beyond_chance(np.asarray(observed_agreement(counts, weights)), prevalence(counts), w))


def _beyond_chance(observed: FloatArray, pi: FloatArray, weights: FloatArray) -> FloatArray:
    """Corrects for chance; 1 - p_e is never 0, because p_e is at most sum(w) / K^2 < 1."""
    levels = len(weights)
    chance = weights.sum() / (levels * (levels - 1)) * np.einsum("...k,...k->...", pi, 1 - pi)
    return np.asarray((observed - chance) / (1 - chance))
