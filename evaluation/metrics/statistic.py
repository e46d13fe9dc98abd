"""A figure with its bootstrap replicates, and what can be made of such figures: means and differences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from evaluation.metrics.interval import (
    Interval,
    Method,
    UsedMethod,
    acceleration,
    bca_bounds,
    check_level,
    percentile_bounds,
)
from evaluation.metrics.levels import FloatArray
from evaluation.metrics.macro import Undefined, macro_mean
from evaluation.metrics.resampling import Resamples


@dataclass(frozen=True, eq=False)
class Statistic:
    """A figure, its value in every replicate and without each cluster.

    Attributes:
        estimate: The figure on the data; NaN where undefined.
        replicates: Its value in each replicate, shape (n_resamples,), NaN where undefined.
        jackknife: Returns its value without each of the clusters, shape (clusters,); only BCa calls it.
        n_items: See `Interval`.
        n_clusters: See `Interval`.
        resamples: The draws; statistics combine only if they share them.
    """

    estimate: float
    replicates: FloatArray
    jackknife: Callable[[], FloatArray]
    n_items: int
    n_clusters: int
    resamples: Resamples

    def interval(self, *, method: Method = "bca", level: float = 0.95) -> Interval:
        """Returns the confidence interval.

        Args:
            method: "bca" or "percentile".
            level: The nominal confidence.

        Returns:
            The interval; its bounds are NaN where the estimate, or every replicate, is undefined. If all replicates
            equal the estimate it has no width: the data show no variation, which is not certainty.

        Raises:
            ValueError: If the method is unknown or the level is not between 0 and 1.
        """
        if method not in ("bca", "percentile"):
            raise ValueError(f"The method is 'bca' or 'percentile', not {method!r}.")
        check_level(level)
        defined = self.replicates[~np.isnan(self.replicates)]
        low, high = float("nan"), float("nan")
        used: UsedMethod = method
        if not np.isnan(self.estimate) and len(defined):
            low, high, used = self._bounds(defined, method, level)
        n_undefined = len(self.replicates) - len(defined)
        return Interval(self.estimate, low, high, level, self.n_items, self.n_clusters, n_undefined, used)

    def _bounds(self, defined: FloatArray, method: Method, level: float) -> tuple[float, float, UsedMethod]:
        if method == "percentile":
            return *percentile_bounds(defined, level), "percentile"
        skew = acceleration(self.jackknife(), self.resamples.strata)
        bounds = bca_bounds(self.estimate, defined, skew, level)
        if bounds is None:
            return *percentile_bounds(defined, level), "percentile-fallback"
        return *bounds, "bca"


@dataclass(frozen=True)
class Comparison:
    """A difference of two figures.

    Attributes:
        difference: The first less the second, with its interval.
        p_value: Two-sided, see `compare`; NaN where the difference is undefined.
    """

    difference: Interval
    p_value: float


def mean_of(statistics: Sequence[Statistic], *, undefined: Undefined = "propagate") -> Statistic:
    """Returns the unweighted mean of figures, replicate by replicate: an average column, or the mean human pair.

    Args:
        statistics: One or more, from the same draws.
        undefined: "propagate" or "skip", see `macro_mean`; it holds for the estimate, each replicate and each
            leave-one-out value.

    Raises:
        ValueError: If there is none, or they are from different draws.
    """
    _check_shared(statistics)
    return Statistic(
        estimate=float(macro_mean([part.estimate for part in statistics], undefined=undefined)),
        replicates=macro_mean(np.stack([part.replicates for part in statistics]), undefined=undefined),
        jackknife=cache(lambda: macro_mean(np.stack([part.jackknife() for part in statistics]), undefined=undefined)),
        n_items=min(part.n_items for part in statistics),
        n_clusters=min(part.n_clusters for part in statistics),
        resamples=statistics[0].resamples,
    )


def difference_of(first: Statistic, second: Statistic) -> Statistic:
    """Returns first less second, paired: both sides of a replicate have the same clusters.

    Raises:
        ValueError: If the two are from different draws.
    """
    _check_shared([first, second])
    return Statistic(
        estimate=first.estimate - second.estimate,
        replicates=first.replicates - second.replicates,
        jackknife=lambda: first.jackknife() - second.jackknife(),
        n_items=min(first.n_items, second.n_items),
        n_clusters=min(first.n_clusters, second.n_clusters),
        resamples=first.resamples,
    )


def compare(first: Statistic, second: Statistic, *, method: Method = "percentile", level: float = 0.95) -> Comparison:
    """Compares two figures by the paired bootstrap.

    p = min(1, 2 (1 + min(#{D* <= 0}, #{D* >= 0})) / (1 + B)) over the B defined replicates D* of the difference: the
    two-sided p-value that belongs to the percentile interval. Its least value is 2 / (1 + B).

    The interval is a percentile one unless BCa is asked for: where harm is rare, BCa covers single figures better and
    differences worse (`benchmarks/bootstrap_coverage.py --scenario rare`).

    Raises:
        ValueError: If the two are from different draws, or `method` or `level` is wrong.
    """
    difference = difference_of(first, second)
    defined = difference.replicates[~np.isnan(difference.replicates)]
    p_value = float("nan")
    if not np.isnan(difference.estimate) and len(defined):
        tail = min(np.count_nonzero(defined <= 0), np.count_nonzero(defined >= 0))
        p_value = float(min(1, 2 * (1 + tail) / (1 + len(defined))))
    return Comparison(difference.interval(method=method, level=level), p_value)


def _check_shared(statistics: Sequence[Statistic]) -> None:
    if not statistics:
        raise ValueError("A mean takes one or more statistics.")
    if any(part.resamples is not statistics[0].resamples for part in statistics):
        raise ValueError("Statistics combine only if they come from the same Resamples: share one between calls.")
