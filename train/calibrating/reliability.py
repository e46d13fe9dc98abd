"""How well probabilities agree with shares: calibration errors, Brier score and the bins of reliability diagrams."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ReliabilityBins:
    """Equal-width bins of [0, 1] by probability.

    Attributes:
        counts: [bins], items in each.
        confidence: [bins], mean probability; NaN in empty bins.
        share: [bins], share of positives; NaN in empty bins.
    """

    counts: NDArray[np.int64]
    confidence: FloatArray
    share: FloatArray


def reliability_bins(probabilities: FloatArray, outcomes: FloatArray, bins: int) -> ReliabilityBins:
    """Sort items into bins ((k - 1) / bins, k / bins], 0 into the first (Guo et al. 2017, section 2).

    Args:
        probabilities: [items], 0 to 1.
        outcomes: [items], 0 or 1; NaN is left out.
        bins: Number of bins.
    """
    known = ~np.isnan(outcomes)
    p, y = probabilities[known], outcomes[known]
    place = np.clip(np.ceil(p * bins).astype(np.int64) - 1, 0, bins - 1)
    counts = np.bincount(place, minlength=bins)
    filled = np.where(counts > 0, counts, np.nan)
    return ReliabilityBins(
        counts,
        np.bincount(place, weights=p, minlength=bins) / filled,
        np.bincount(place, weights=y, minlength=bins) / filled,
    )


def expected_calibration_error(probabilities: FloatArray, outcomes: FloatArray, bins: int = 15) -> float:
    """Return sum_b n_b / n |share_b - confidence_b| (Naeini et al., AAAI 2015; Guo et al., ICML 2017), 0 to 1.

    Of the probability of the event itself, not of the more likely class. NaN without items. With few items it is
    biased upwards, as noise in a bin counts as error.
    """
    found = reliability_bins(probabilities, outcomes, bins)
    n = int(found.counts.sum())
    if not n:
        return float("nan")
    return float(np.nansum(found.counts / n * np.abs(found.share - found.confidence)))


def brier_score(probabilities: FloatArray, outcomes: FloatArray) -> float:
    """Return the mean of (p - y)^2 (Brier 1950), 0 to 1; NaN without items."""
    known = ~np.isnan(outcomes)
    if not known.any():
        return float("nan")
    return float(np.mean((probabilities[known] - outcomes[known]) ** 2))
