"""Holm's correction for several tests."""

import numpy as np
import numpy.typing as npt

from evaluation.metrics.levels import FloatArray


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Returns p-values adjusted by Holm's step-down method (Holm 1979).

    With m p-values in ascending order, p~_(i) = max_{j <= i} min(1, (m - j + 1) p_(j)). Rejecting where
    p~ <= alpha keeps the chance of any false rejection at or below alpha, however the tests depend on one another.

    Args:
        p_values: Shape (tests,). NaN, a test that could not be made, stays NaN and does not count in m.

    Returns:
        Adjusted p-values in the same order, from 0 to 1.

    Raises:
        ValueError: If the p-values are not one-dimensional or not from 0 to 1.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or ((p < 0) | (p > 1)).any():
        raise ValueError("Holm's correction takes a list of p-values from 0 to 1 (NaN for a test not made).")
    adjusted = np.full(p.shape, np.nan)
    made = np.flatnonzero(~np.isnan(p))
    order = made[np.argsort(p[made], kind="stable")]
    steps = np.arange(len(order), 0, -1) * p[order]
    adjusted[order] = np.minimum(1, np.maximum.accumulate(steps))
    return adjusted
