"""Weights that say how much two levels of an ordinal scale agree."""

from typing import Final, Literal, TypeAlias

import numpy as np

from evaluation.metrics.levels import FloatArray, check_scale

Weighting: TypeAlias = Literal["identity", "linear", "quadratic"]

_POWERS: Final = {"identity": 0, "linear": 1, "quadratic": 2}


def agreement_weights(levels: int, weighting: Weighting = "identity") -> FloatArray:
    """Returns the K x K agreement weights w.

    identity: w_ij = 1 if i = j else 0. linear: w_ij = 1 - |i - j| / (K - 1).
    quadratic: w_ij = 1 - (i - j)^2 / (K - 1)^2. (Cicchetti and Allison 1971; Fleiss and Cohen 1973.)

    Args:
        levels: K, the number of levels.
        weighting: One of "identity", "linear", "quadratic".

    Raises:
        ValueError: If the weighting is unknown or K < 2.
    """
    distances = level_distances(levels, weighting)
    return np.asarray(1 - distances / distances.max())


def level_distances(levels: int, weighting: Weighting = "identity") -> FloatArray:
    """Returns the unscaled K x K distances: [i != j], |i - j| or (i - j)^2.

    They are whole numbers, so sums of counts times distances are exact and "no disagreement is possible"
    is an exact zero. Kappa does not change when they are scaled.

    Raises:
        ValueError: If the weighting is unknown or K < 2.
    """
    check_scale(levels)
    if weighting not in _POWERS:
        raise ValueError(f"Unknown weighting {weighting!r}. Available: {', '.join(_POWERS)}.")
    steps = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels))).astype(np.float64)
    return (steps > 0).astype(np.float64) if weighting == "identity" else steps ** _POWERS[weighting]
