"""A language's own calibration: the pooled one, moved by an amount that its items must earn.

Annotator pools differ in strictness from language to language, so one number a column is fitted for each language: a
shift of the calibrated log-odds (Platt, isotonic) or of the log of the slope (temperature). It has the prior
N(0, deviation^2) around the pooled fit, so that a language with few items, or few positives, stays near it: a
varying-intercept logistic regression (Gelman and Hill 2007, section 14.2) at its posterior mode, with the prior's
width chosen by cross-validation (empirical Bayes).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from serve.bundle import IsotonicColumn, PlattColumn
from serve.calibration import calibrate_column, sigmoid

FloatArray = NDArray[np.float64]

_STEPS: Final = 30
_LONGEST_STEP: Final = 1.0
_EDGE: Final = 1e-6


def log_odds(probabilities: FloatArray) -> FloatArray:
    """Return log(p / (1 - p)), with p kept within 1e-6 of 0 and 1."""
    clipped = np.clip(probabilities, _EDGE, 1 - _EDGE)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def language_shifts(
    scores: FloatArray, exceeded: FloatArray, groups: NDArray[np.int64], n_groups: int, deviation: float
) -> FloatArray:
    """Return the posterior mode of each group's shift of the log-odds.

    The mode d of sum_i log P(y_i | s_i + d) - d^2 / (2 deviation^2), by Newton's method; it is unique.

    Args:
        scores: [items], calibrated log-odds s.
        exceeded: [items], 0 or 1.
        groups: [items], from 0.
        n_groups: Number of groups; one without items gets 0.
        deviation: Standard deviation of the prior, above 0.
    """
    return _mode(scores, np.ones_like(scores), exceeded, groups, n_groups, deviation, multiply=False)


def language_log_slopes(
    scores: FloatArray, exceeded: FloatArray, groups: NDArray[np.int64], n_groups: int, deviation: float
) -> FloatArray:
    """Return the posterior mode of each group's log of the factor on the log-odds, as `language_shifts`."""
    return _mode(scores, scores, exceeded, groups, n_groups, deviation, multiply=True)


def moved(column: PlattColumn | IsotonicColumn, amount: float, *, multiply: bool) -> PlattColumn | IsotonicColumn:
    """Return a pooled calibration moved for a language.

    Args:
        column: The pooled calibration.
        amount: A shift of the log-odds, or the log of a factor on them.
        multiply: Whether it is a factor.
    """
    if isinstance(column, PlattColumn):
        factor = float(np.exp(amount)) if multiply else 1.0
        return PlattColumn(slope=column.slope * factor, intercept=column.intercept + (0.0 if multiply else amount))
    y = sigmoid(log_odds(np.asarray(column.y)) + amount)
    return IsotonicColumn(x=column.x, y=tuple(map(float, np.maximum.accumulate(y))))


def calibrated_scores(column: PlattColumn | IsotonicColumn, logits: FloatArray) -> FloatArray:
    """Return the calibrated log-odds of one column's logits."""
    if isinstance(column, PlattColumn):
        return np.asarray(column.slope * logits + column.intercept)
    return log_odds(calibrate_column(logits, column))


def _mode(
    scores: FloatArray,
    direction: FloatArray,
    exceeded: FloatArray,
    groups: NDArray[np.int64],
    n_groups: int,
    deviation: float,
    *,
    multiply: bool,
) -> FloatArray:
    amounts = np.zeros(n_groups)
    for _ in range(_STEPS):
        own = amounts[groups]
        expected = sigmoid(scores * np.exp(own) if multiply else scores + own)
        towards = direction * np.exp(own) if multiply else direction
        slope = np.bincount(groups, (exceeded - expected) * towards, n_groups) - amounts / deviation**2
        # Fisher's information: positive even where the likelihood is not concave.
        weight = expected * (1 - expected) * towards**2
        step = slope / (np.bincount(groups, weight, n_groups) + 1 / deviation**2)
        amounts += np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    return amounts
