"""Confidence intervals from bootstrap replicates: percentile and BCa."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, Literal, TypeAlias

import numpy as np

from evaluation.metrics.levels import FloatArray, IntArray

Method: TypeAlias = Literal["percentile", "bca"]
UsedMethod: TypeAlias = Literal["percentile", "bca", "percentile-fallback"]

_NORMAL: Final = NormalDist()


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes:
        estimate: The figure on the data themselves; NaN where undefined.
        low: The lower end; NaN where there is no interval.
        high: The upper end; NaN where there is no interval.
        level: The nominal confidence, such as 0.95.
        n_items: The rated pairs of items behind it; of a mean or difference, those of its smallest part.
        n_clusters: The clusters that hold them; of a mean or difference, those of its smallest part.
        n_undefined: Replicates in which the figure was undefined. The interval is that of the others, so it is
            conditional on the figure being defined: with more than a few, do not trust it.
        method: "percentile", "bca", or "percentile-fallback": BCa was asked for and is undefined here (see
            `bca_bounds`).
    """

    estimate: float
    low: float
    high: float
    level: float
    n_items: int
    n_clusters: int
    n_undefined: int
    method: UsedMethod


def percentile_bounds(replicates: FloatArray, level: float) -> tuple[float, float]:
    """Returns the (1 - level) / 2 and (1 + level) / 2 quantiles of the replicates (Efron 1979).

    Raises:
        ValueError: If the level is not between 0 and 1.
    """
    check_level(level)
    return _quantiles(replicates, (1 - level) / 2, (1 + level) / 2)


def bca_bounds(
    estimate: float, replicates: FloatArray, acceleration: float, level: float
) -> tuple[float, float] | None:
    """Returns the bias-corrected and accelerated bounds (Efron 1987).

    The quantiles of the replicates at Phi(z_0 + (z_0 + z) / (1 - a (z_0 + z))), with z = -/+ z_{(1 + level) / 2},
    a the acceleration, and z_0 = Phi^-1 of the share of replicates below the estimate, ties half.

    Returns:
        The bounds, or None where they are undefined: the acceleration is NaN, or every replicate lies on one
        side of the estimate.

    Raises:
        ValueError: If the level is not between 0 and 1.
    """
    check_level(level)
    below = ((replicates < estimate).mean() + (replicates <= estimate).mean()) / 2
    if np.isnan(acceleration) or not 0 < below < 1:
        return None
    bias = _NORMAL.inv_cdf(below)
    shifted = [bias + _NORMAL.inv_cdf(probability) for probability in ((1 - level) / 2, (1 + level) / 2)]
    stretched = [1 - acceleration * z for z in shifted]
    if min(stretched) <= 0:
        return None
    low, high = (_NORMAL.cdf(bias + z / s) for z, s in zip(shifted, stretched, strict=True))
    return _quantiles(replicates, low, high)


def acceleration(jackknife: FloatArray, strata: IntArray) -> float:
    """Returns the acceleration a of BCa from leave-one-cluster-out values.

    a = sum_h n_h^-3 sum_i l_hi^3 / (6 (sum_h n_h^-2 sum_i l_hi^2)^(3/2)), with l_hi = (n_h - 1) (mean_h - value_hi)
    in stratum h of n_h clusters (Efron 1987; strata: Davison and Hinkley 1997, section 5.3).

    Args:
        jackknife: The figure without each cluster, shape (clusters,).
        strata: The stratum of each cluster.

    Returns:
        a; 0 where no cluster matters; NaN where a leave-one-out value is undefined.
    """
    if np.isnan(jackknife).any():
        return float("nan")
    n = np.bincount(strata)
    means = np.bincount(strata, weights=jackknife) / np.maximum(n, 1)
    influence = (n[strata] - 1) / n[strata] * (means[strata] - jackknife)
    squares = influence * influence
    spread = float(squares.sum())
    return float((squares * influence).sum()) / (6 * spread**1.5) if spread > 0 else 0.0


def check_level(level: float) -> None:
    """Raises ValueError where a confidence level is not between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"A confidence level lies between 0 and 1, such as 0.95, not at {level}.")


def _quantiles(replicates: FloatArray, low: float, high: float) -> tuple[float, float]:
    if not len(replicates):
        return float("nan"), float("nan")
    bounds = np.quantile(replicates, [low, high])
    return float(bounds[0]), float(bounds[1])
