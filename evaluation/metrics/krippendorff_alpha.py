"""Krippendorff's alpha, nominal, ordinal and interval."""

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from evaluation.metrics.confusion import as_confusions, ratio
from evaluation.metrics.levels import FloatArray, Ratings
from evaluation.metrics.rating_counts import item_counts

Measurement: TypeAlias = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(ratings: Ratings, *, levels: int, measurement: Measurement = "ordinal") -> float:
    """Returns Krippendorff's alpha of two or more raters with missing ratings (Krippendorff 2011).

    alpha = 1 - (n - 1) sum_ck o_ck d_ck / sum_ck n_c n_k d_ck, with the coincidences
    o_ck = sum_i r_ic (r_ik - [c = k]) / (r_i - 1) over items with r_i >= 2 ratings, n_c = sum_k o_ck and
    n = sum_c n_c. The difference d_ck is [c != k] (nominal), (c - k)^2 (interval) or
    (n_c / 2 + sum_{c < g < k} n_g + n_k / 2)^2 (ordinal).

    Range: at most 1; 0 is chance. NaN where no item has two ratings, and where the pairable ratings are all
    of one level (no variation, 0/0). It shares kappa's paradox under a prevailing level. The ordinal
    difference depends on how often levels were used, so two data sets' ordinal alphas have different units.

    Args:
        ratings: Shape (raters, items), with missing values.
        levels: K, the number of levels.
        measurement: "nominal", "ordinal" or "interval".

    Raises:
        ValueError: If the shape is not (raters, items), a value is off the scale or the measurement is unknown.
    """
    coincidences = coincidence_matrix(ratings, levels=levels)
    return float(krippendorff_alpha_from_coincidences(coincidences, measurement=measurement))


def coincidence_matrix(ratings: Ratings, *, levels: int) -> FloatArray:
    """Returns the (K, K) coincidences of `krippendorff_alpha`; they sum to the number of pairable ratings.

    Raises:
        ValueError: If the shape is not (raters, items) or a value is off the scale.
    """
    counts = item_counts(ratings, levels=levels).astype(np.float64)
    counts = counts[counts.sum(axis=1) >= 2]
    scaled = counts / (counts.sum(axis=1, keepdims=True) - 1)
    return np.asarray(scaled.T @ counts - np.diag(scaled.sum(axis=0)))


def krippendorff_alpha_from_coincidences(
    coincidences: npt.ArrayLike, *, measurement: Measurement = "ordinal"
) -> FloatArray:
    """Returns alpha of each (..., K, K) coincidence matrix, shape (...).

    Raises:
        ValueError: If the matrices are not square or the measurement is unknown.
    """
    o = as_confusions(coincidences)
    used = np.asarray(o.sum(axis=-1))
    differences = _differences(used, measurement)
    observed = np.einsum("...ck,...ck->...", o, differences)
    expected = np.einsum("...c,...k,...ck->...", used, used, differences)
    return np.asarray(1 - ratio((used.sum(axis=-1) - 1) * observed, expected))


def krippendorff_alpha_from_confusion(confusion: npt.ArrayLike, *, measurement: Measurement = "ordinal") -> FloatArray:
    """Returns alpha of two raters from each (..., K, K) confusion matrix, shape (...)."""
    c = as_confusions(confusion)
    return krippendorff_alpha_from_coincidences(c + np.swapaxes(c, -1, -2), measurement=measurement)


def _differences(used: FloatArray, measurement: Measurement) -> FloatArray:
    """Returns the (..., K, K) squared differences between levels."""
    levels = used.shape[-1]
    if measurement == "nominal":
        return np.broadcast_to(1 - np.eye(levels), (*used.shape, levels))
    if measurement == "interval":
        places = np.broadcast_to(np.arange(levels, dtype=np.float64), used.shape)
    elif measurement == "ordinal":
        # Krippendorff's sum between two levels is the distance between their midranks.
        places = np.cumsum(used, axis=-1) - used / 2
    else:
        raise ValueError(f"Unknown measurement {measurement!r}. Available: nominal, ordinal, interval.")
    return np.asarray((places[..., :, None] - places[..., None, :]) ** 2)
