"""Flag thresholds at an operating point: a share of benign items that may be flagged in any category.

A text is flagged if any category is, so the target must hold for their union. It is split evenly: every category has
the same false-positive rate a of its own on benign items, and a is the largest at which the union keeps to the target.
With S_c(p) the share of benign items that reach p in category c, that is one number a text, its *alarm*
max_c -log S_c(p_c), and one quantile of it. A language's own thresholds are one number too, its own quantile of the
alarm, and so much better told by a hundred benign items than eight thresholds are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from train.calibrating.language_shift import log_odds

FloatArray = NDArray[np.float64]

_TAIL: Final = 0.1
NEVER: Final = 1.01
"""A threshold that no probability reaches."""


@dataclass(frozen=True)
class BenignTails:
    """How high benign items score in each category.

    Attributes:
        scores: A category's benign log-odds, descending.
        excess: By category: mean excess over its upper 10% point, the scale of an exponential tail beyond the data.
    """

    scores: tuple[FloatArray, ...]
    excess: tuple[float, ...]

    @classmethod
    def of(cls, probabilities: FloatArray) -> BenignTails:
        """Return the tails of calibrated probabilities, [benign items, categories]; there is at least one item."""
        columns = [np.sort(log_odds(column))[::-1] for column in probabilities.T]
        return cls(tuple(columns), tuple(_mean_excess(column) for column in columns))

    def alarms(self, probabilities: FloatArray) -> FloatArray:
        """Return max_c -log S_c(p_c) of each item, 0 or more.

        S_c is rank / (n + 1) at a benign item's score, log-linear between them, and exponential beyond the highest.

        Args:
            probabilities: [items, categories], calibrated.
        """
        found = np.zeros(len(probabilities))
        for column, scores, excess in zip(probabilities.T, self.scores, self.excess, strict=True):
            points, heights = _points(scores)
            odds = log_odds(column)
            inside = np.interp(odds, points, heights)
            beyond = heights[-1] + np.maximum(odds - points[-1], 0) / excess
            found = np.maximum(found, np.where(odds > points[-1], beyond, inside))
        return found

    def thresholds(self, alarm: float) -> tuple[float, ...]:
        """Return the calibrated probability of each category at which it alone reaches an alarm."""
        found = []
        for scores, excess in zip(self.scores, self.excess, strict=True):
            points, heights = _points(scores)
            if alarm > heights[-1]:
                odds = points[-1] + (alarm - heights[-1]) * excess
            else:
                odds = float(np.interp(alarm, heights, points))
            found.append(float(1 / (1 + np.exp(-odds))))
        return tuple(found)


def upper_quantile(values: FloatArray, share: float) -> float:
    """Return a value that at most `share` of further items exceeds on average.

    The r-th smallest value with r = n + 1 - floor((n + 1) share), as in split conformal prediction (Vovk et al.
    2005): an exchangeable new item exceeds it with a probability of at most `share`. The returned value lies half-way
    to the next higher one, since a threshold is reached and not exceeded. Where none is higher, because items are too
    few or equal, an exponential tail goes on beyond the highest.

    Args:
        values: [items], at least one.
        share: The share, above 0 and below 1.
    """
    ordered = np.sort(values)
    n = len(ordered)
    allowed = int(np.floor((n + 1) * share + 1e-9))
    reached = ordered[n - allowed] if allowed else ordered[-1]
    higher = ordered[ordered > reached]
    if allowed and len(higher):
        return float((reached + higher[0]) / 2)
    excess = _mean_excess(ordered[::-1])
    return float(ordered[-1] + excess * max(np.log(1 / ((n + 1) * share)), 0.01))


def pinball_loss(values: FloatArray, quantile: float, share: float) -> FloatArray:
    """Return the quantile loss of each value, whose mean is least at the true (1 - share) quantile.

    (1 - share) (v - q) where v > q, else share (q - v) (Koenker and Bassett 1978).
    """
    difference = values - quantile
    return np.asarray(np.where(difference > 0, (1 - share) * difference, -share * difference))


def _points(descending: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ascending scores and -log S at them; of equal scores the most frequent side, S the larger."""
    n = len(descending)
    points, counts = np.unique(descending, return_counts=True)
    reached = n - np.concatenate([[0], np.cumsum(counts)[:-1]])
    return points, -np.log(reached / (n + 1))


def _mean_excess(descending: FloatArray) -> float:
    tail = descending[: max(2, int(np.ceil(_TAIL * len(descending))))]
    return max(float(np.mean(tail - tail[-1])), 1e-3)
