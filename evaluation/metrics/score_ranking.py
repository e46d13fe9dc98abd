"""AUROC and AUPRC: how well a rater's scores separate flagged items from the rest."""

import numpy as np
import numpy.typing as npt

from evaluation.metrics.confusion import ratio
from evaluation.metrics.false_positive_rate import check_threshold
from evaluation.metrics.levels import MISSING, FloatArray, Ratings, as_levels


def auroc(scores: npt.ArrayLike, reference: Ratings, *, levels: int, threshold: int = 1) -> float:
    """Returns the area under the ROC curve: the chance that a flagged item outscores another, ties half.

    (Hanley and McNeil 1982.) An item is positive where the reference's level is above `threshold`. Range 0 to
    1; 0.5 is chance. NaN where there is no positive or no negative item. It does not show where a threshold
    would lie, nor precision when positives are rare: see `auprc`.

    Args:
        scores: The rater's scores, higher for more harm, shape (items,); missing is None or NaN.
        reference: Ratings of the same items, shape (items,).
        levels: K, the number of levels of the reference.
        threshold: The highest level that is not a flag, from 1 to K - 1.

    Raises:
        ValueError: If the shapes differ, a value is off the scale or the threshold is not from 1 to K - 1.
    """
    positives, negatives = _by_score(scores, reference, levels, threshold)
    below = np.cumsum(negatives) - negatives
    wins = (positives * (below + negatives / 2)).sum()
    return float(ratio(wins, positives.sum() * negatives.sum()))


def auprc(scores: npt.ArrayLike, reference: Ratings, *, levels: int, threshold: int = 1) -> float:
    """Returns average precision: the area under the precision-recall curve by steps.

    AP = sum_t (R_t - R_{t-1}) P_t over the distinct scores t from high to low, with precision P and recall R of
    "score >= t"; no interpolation, as in scikit-learn. Arguments and errors as for `auroc`. Range 0 to 1;
    chance is the share of positive items, so values from data of different prevalence do not compare. NaN
    where there is no positive item.
    """
    positives, negatives = _by_score(scores, reference, levels, threshold)
    hits = np.cumsum(positives[::-1])
    precision = ratio(hits, hits + np.cumsum(negatives[::-1]))
    return float(ratio((positives[::-1] * precision).sum(), positives.sum()))


def _by_score(scores: npt.ArrayLike, reference: Ratings, levels: int, threshold: int) -> tuple[FloatArray, FloatArray]:
    """Counts the positive and the negative items at each distinct score, in ascending order."""
    check_threshold(threshold, levels)
    values, truth = np.asarray(scores, dtype=np.float64), as_levels(reference, levels)
    if values.ndim != 1 or values.shape != truth.shape:
        raise ValueError(f"Scores and reference are two lists of the same items: {values.shape} and {truth.shape}.")
    both = ~np.isnan(values) & (truth != MISSING)
    distinct, place = np.unique(values[both], return_inverse=True)
    flagged = truth[both] > threshold
    size = len(distinct)
    positives = np.bincount(place[flagged], minlength=size).astype(np.float64)
    return positives, np.bincount(place[~flagged], minlength=size).astype(np.float64)
