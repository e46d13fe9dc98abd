"""Thresholds of one category that maximise linear-weighted kappa: a coordinate search over candidates."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.cohen_kappa import cohen_kappa_from_confusion

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_SWEEPS: Final = 5
_GAIN: Final = 1e-9


def levels_at(probabilities: FloatArray, thresholds: FloatArray) -> IntArray:
    """Return levels of one category, [items]: 1 + the number of leading columns at or above their threshold.

    Args:
        probabilities: [items, columns of the category].
        thresholds: [columns of the category], or the same for every item, [items, columns].
    """
    passes = (probabilities >= thresholds).astype(np.int64)
    return np.asarray(1 + np.cumprod(passes, axis=1).sum(axis=1))


def best_thresholds(probabilities: FloatArray, levels: IntArray, start: FloatArray, candidates: int) -> FloatArray:
    """Return the thresholds at which the levels agree best with people's, by linear-weighted kappa (Cohen 1968).

    One column after the other takes the candidate that is best beside the others' present thresholds, until none
    gets better: a local maximum from a sensible start, since the exact one over all columns is costly and would not
    hold on other items. Candidates are quantiles of the column's probabilities.

    Args:
        probabilities: [items, columns of the category], non-increasing along the columns.
        levels: [items], people's, from 1.
        start: [columns], where the search begins; returned as it is where kappa is undefined.
        candidates: Number of candidates a column.
    """
    best = start.astype(np.float64)
    for _ in range(_SWEEPS):
        changed = False
        for column in range(len(best)):
            values = _candidates(probabilities[:, column], best[column], candidates)
            kappas = _kappas(probabilities, levels, best, column, values)
            now = kappas[int(np.searchsorted(values, best[column]))]
            place = int(kappas.argmax())
            if kappas[place] > now + _GAIN:
                best[column] = values[place]
                changed = True
        if not changed:
            break
    return best


def _candidates(scores: FloatArray, present: float, number: int) -> FloatArray:
    ordered = np.unique(scores)
    between = (ordered[1:] + ordered[:-1]) / 2
    if len(between) > number:
        between = between[
            np.unique(np.searchsorted(between, np.quantile(scores, np.linspace(0, 1, number + 2)[1:-1]))).clip(
                0, len(between) - 1
            )
        ]
    return np.unique(np.append(between, present))


def _kappas(
    probabilities: FloatArray, levels: IntArray, thresholds: FloatArray, column: int, values: FloatArray
) -> FloatArray:
    """Return kappa at each value of one column's threshold; -inf where it is undefined.

    An item has one level if it fails the column and another if it passes, so a cumulative count over the sorted
    values gives all confusion matrices at once.
    """
    scale = len(thresholds) + 1
    passes = (probabilities >= thresholds).astype(np.int64)
    leading = np.cumprod(passes[:, :column], axis=1).sum(axis=1)
    beyond = np.cumprod(passes[:, column + 1 :], axis=1).sum(axis=1)
    fails = 1 + leading
    succeeds = np.where(leading == column, 2 + column + beyond, fails)
    # An item passes at the first `reach` values.
    reach = np.searchsorted(values, probabilities[:, column], side="right")
    cells, steps = scale * scale, len(values) + 1
    truth = (levels - 1) * scale

    def counted(ours: IntArray) -> FloatArray:
        counts = np.bincount(reach * cells + truth + ours - 1, minlength=steps * cells)
        return counts.reshape(steps, cells).astype(np.float64)

    passing = np.cumsum(counted(succeeds)[::-1], axis=0)[::-1][1:]
    failing = np.cumsum(counted(fails), axis=0)[:-1]
    kappas = cohen_kappa_from_confusion((passing + failing).reshape(-1, scale, scale), weights="linear")
    return np.where(np.isnan(kappas), -np.inf, kappas)
