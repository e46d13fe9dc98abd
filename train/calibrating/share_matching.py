"""A language's level thresholds by its share of texts above each level.

Kappa punishes a rater whose margins differ from people's, and annotator pools differ in how much they call harmful.
So a language's threshold is put where as many of its texts are above a level as people put there. A share is told by
far fewer items than the best threshold is: the search for the highest kappa in a language with a hundred texts and a
few positives follows noise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from train.calibrating.kappa_search import levels_at

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def share_thresholds(probabilities: FloatArray, levels: IntArray, pooled: FloatArray, k: float) -> FloatArray:
    """Return a language's thresholds of one category.

    The share above a level is (n+ + k s) / (n + k): the language's own n+ of n, shrunk towards the share s that the
    pooled thresholds give in this language, as if k further items had shown it (the posterior mean of a beta prior).

    Args:
        probabilities: [items, columns of the category], non-increasing along the columns.
        levels: [items], people's, from 1.
        pooled: [columns], the pooled thresholds.
        k: Weight of the pooled thresholds, in items; 0 or more.
    """
    found = np.array(pooled, dtype=np.float64)
    n = len(levels)
    if not n:
        return found
    usual = levels_at(probabilities, pooled)
    passing = np.ones(n, dtype=np.bool_)
    for column in range(len(found)):
        wanted = ((levels > column + 1).sum() + k * (usual > column + 1).mean()) / (n + k)
        found[column] = threshold_for(probabilities[passing, column], round(float(wanted) * n))
        passing &= probabilities[:, column] >= found[column]
    return found


def threshold_for(scores: FloatArray, wanted: int) -> float:
    """Return the threshold that `wanted` of the scores reach, half-way to the next lower one.

    Args:
        scores: [items], 0 to 1. Of equal scores, either all reach it or none.
        wanted: How many; with 0, half-way from the highest score to 1, and with all, half-way from the lowest to 0.
    """
    ordered = np.concatenate([[1.0], np.sort(scores)[::-1], [0.0]])
    place = min(max(wanted, 0), len(scores))
    return float((ordered[place] + ordered[place + 1]) / 2)
