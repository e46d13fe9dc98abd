"""Fits of one sigmoid to one column: temperature, Platt, and isotonic regression."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from serve.bundle import IsotonicColumn, PlattColumn

FloatArray = NDArray[np.float64]
Method = Literal["temperature", "platt", "isotonic"]

STEEPEST: Final = 20.0
"""Largest slope: of columns that separate perfectly, the likelihood has no maximum."""
_FLATTEST: Final = 0.02


def fit_column(method: Method, logits: FloatArray, exceeded: FloatArray) -> PlattColumn | IsotonicColumn:
    """Fit the calibration of one column.

    Args:
        method: Temperature scaling (Guo et al., ICML 2017), Platt's sigmoid (1999), or isotonic regression (Zadrozny
            and Elkan, KDD 2002).
        logits: [items].
        exceeded: [items], 0 or 1.

    Returns:
        The calibration; the plain sigmoid where there is no item. Where all items agree, Platt's smoothed targets
        keep probabilities off 0 and 1.
    """
    if not len(exceeded):
        return PlattColumn(slope=1.0)
    if method == "isotonic" and 0 < exceeded.mean() < 1:
        return _isotonic(logits, exceeded)
    return _sigmoid(logits, exceeded, with_intercept=method != "temperature")


def smoothed_targets(exceeded: FloatArray) -> FloatArray:
    """Return Platt's targets: (N+ + 1) / (N+ + 2) for positives and 1 / (N- + 2) for negatives (Platt 1999)."""
    positives = float(exceeded.sum())
    negatives = len(exceeded) - positives
    return np.where(exceeded > 0, (positives + 1) / (positives + 2), 1 / (negatives + 2))


def _sigmoid(logits: FloatArray, exceeded: FloatArray, with_intercept: bool) -> PlattColumn:
    from scipy.optimize import minimize

    targets = smoothed_targets(exceeded)

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        scores = parameters[0] * logits + (parameters[1] if with_intercept else 0.0)
        residual = _expit(scores) - targets
        value = float(np.mean(np.logaddexp(0, scores) - targets * scores))
        return value, np.array([np.mean(residual * logits), np.mean(residual)])[: len(parameters)]

    if with_intercept and (float(np.ptp(logits)) == 0 or not 0 < exceeded.mean() < 1):
        # The slope is not identified: keep the model's own order and scale, and move the mean only.
        return PlattColumn(slope=1.0, intercept=_intercept_for(logits, float(targets.mean())))
    start = np.array([1.0, 0.0])[: 1 + with_intercept]
    bounds = [(_FLATTEST, STEEPEST), (None, None)][: 1 + with_intercept]
    found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x
    return PlattColumn(slope=float(found[0]), intercept=float(found[1]) if with_intercept else 0.0)


def _intercept_for(logits: FloatArray, mean: float) -> float:
    from scipy.optimize import brentq

    reach = 50.0 + float(np.abs(logits).max())
    return float(brentq(lambda shift: _expit(logits + shift).mean() - mean, -reach, reach))


def _isotonic(logits: FloatArray, exceeded: FloatArray) -> IsotonicColumn:
    from sklearn.isotonic import IsotonicRegression

    # Smoothed targets keep the ends off 0 and 1, where a later item would be judged impossible.
    fitted = IsotonicRegression(out_of_bounds="clip").fit(logits, smoothed_targets(exceeded))
    x, first = np.unique(fitted.X_thresholds_, return_index=True)
    y = np.clip(np.maximum.accumulate(fitted.y_thresholds_[first]), 0.0, 1.0)
    return IsotonicColumn(x=tuple(map(float, x)), y=tuple(map(float, y)))


def _expit(scores: FloatArray) -> FloatArray:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * scores)))
