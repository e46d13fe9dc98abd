"""The clustered bootstrap of many comparisons at once, over confusion matrices instead of rows.

A cluster adds a fixed K x K matrix of counts to its comparison's confusion matrix. So the replicates' confusion
matrices are one matrix product, (draws: replicates x clusters) times (counts: clusters x K K columns of all
comparisons), and every metric is then evaluated on the stack. No row is ever copied.

    cells = {"judge": Cell.of(judge, truth, source_ids, levels=5), "human": Cell.of(human, truth, source_ids, levels=5)}
    figures = bootstrap(cells, ["quadratic_kappa", "ac2"], resamples=Resamples.draw(source_ids, rng=7))
    figures.interval("judge", "quadratic_kappa")
    figures.compare("judge", "human", "ac2")
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from evaluation.metrics.by_name import confusion_metric
from evaluation.metrics.cell import Cell
from evaluation.metrics.confusion import ConfusionMetric
from evaluation.metrics.interval import Interval, Method
from evaluation.metrics.levels import FloatArray, IntArray, Ratings
from evaluation.metrics.macro import Undefined
from evaluation.metrics.resampling import Resamples
from evaluation.metrics.statistic import Comparison, Statistic, compare, mean_of

Key = TypeVar("Key", bound=Hashable)
Weights: TypeAlias = npt.NDArray[np.floating[Any]]

_EXACT_IN_FLOAT32 = 2**24


@dataclass(frozen=True, eq=False)
class Bootstrap(Generic[Key]):
    """Replicates of every metric of every cell; make it with `bootstrap`.

    Attributes:
        cells: The comparisons by key.
        metrics: The metrics by name.
        replicates: For each metric an array (cells, n_resamples), in the order of `cells`.
        resamples: The draws, shared by all cells.
    """

    cells: Mapping[Key, Cell]
    metrics: Mapping[str, ConfusionMetric]
    replicates: Mapping[str, FloatArray]
    resamples: Resamples

    def statistic(self, key: Key, metric: str) -> Statistic:
        """Returns one metric of one cell with its replicates, to combine with others.

        Raises:
            ValueError: If there is no such cell or metric here.
        """
        if key not in self.cells:
            raise ValueError(f"There is no cell {key!r} among the {len(self.cells)} that were bootstrapped.")
        if metric not in self.metrics:
            raise ValueError(f"There is no metric {metric!r} here. Available: {', '.join(self.metrics)}.")
        cell, function = self.cells[key], self.metrics[metric]
        total = cell.counts.sum(axis=0)
        estimate = float(function(total))

        @cache  # means over categories and over languages ask again and again
        def jackknife() -> FloatArray:
            # A cluster without items of this cell changes nothing when it is left out.
            values = np.full(len(self.resamples.clusters), estimate)
            kinds, kind = cell.kinds
            values[self._rows(key)] = function(total - kinds)[kind]
            return values

        replicates = self.replicates[metric][self._places[key]]
        return Statistic(estimate, replicates, jackknife, cell.n_items, cell.n_clusters, self.resamples)

    @cached_property
    def _places(self) -> dict[Key, int]:
        return {key: place for place, key in enumerate(self.cells)}

    @cached_property
    def _known_rows(self) -> dict[Key, IntArray]:
        return {}

    def _rows(self, key: Key) -> IntArray:
        """Returns where the clusters of a cell are among those that are drawn; looked up once for all metrics."""
        if key not in self._known_rows:
            self._known_rows[key] = self.resamples.rows(self.cells[key].clusters)
        return self._known_rows[key]

    def interval(self, key: Key, metric: str, *, method: Method = "bca", level: float = 0.95) -> Interval:
        """Returns the interval of one metric of one cell; arguments and errors as in `Statistic.interval`."""
        return self.statistic(key, metric).interval(method=method, level=level)

    def mean(self, keys: Iterable[Key], metric: str, *, undefined: Undefined = "propagate") -> Statistic:
        """Returns the mean over cells: a row's categories (an average column), or the pairs of humans.

        Arguments and errors as in `mean_of`.
        """
        return mean_of([self.statistic(key, metric) for key in keys], undefined=undefined)

    def compare(
        self, first: Key, second: Key, metric: str, *, method: Method = "percentile", level: float = 0.95
    ) -> Comparison:
        """Compares a metric of two cells by the paired bootstrap; arguments and errors as in `compare`."""
        return compare(self.statistic(first, metric), self.statistic(second, metric), method=method, level=level)


def bootstrap(
    cells: Mapping[Key, Cell],
    metrics: Sequence[str] | Mapping[str, str | ConfusionMetric],
    *,
    resamples: Resamples,
) -> Bootstrap[Key]:
    """Bootstraps every metric of every cell with the same draws.

    Args:
        cells: The comparisons by key, such as (rater, language, category); scales may differ in length.
        metrics: Names from `CONFUSION_METRICS`, or names with functions of confusion matrices.
        resamples: The draws of clusters; every cluster of every cell must be among them.

    Returns:
        The replicates. They take 8 bytes x cells x n_resamples x metrics; working memory is bounded besides.

    Raises:
        ValueError: If a metric is unknown or a cell has a cluster that is not drawn.
    """
    named = metrics if isinstance(metrics, Mapping) else {name: name for name in metrics}
    functions = {name: confusion_metric(metric) for name, metric in named.items()}
    shape = (len(cells), resamples.n_resamples)
    replicates = {name: np.empty(shape) for name in functions}
    groups = list(_groups(list(cells.values()), resamples))
    for block, draws in resamples.blocks():
        weights = draws.astype(np.float32)
        for group in groups:
            for places, confusions in group.confusions(weights):
                for name, function in functions.items():
                    replicates[name][places, block] = function(confusions).T
    return Bootstrap(dict(cells), functions, replicates, resamples)


def bootstrap_interval(
    rater: Ratings,
    reference: Ratings,
    clusters: npt.ArrayLike,
    metric: str | ConfusionMetric,
    *,
    levels: int,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int = 0,
    method: Method = "bca",
    level: float = 0.95,
) -> Interval:
    """Returns the clustered interval of one metric of one comparison: `bootstrap` for a single cell.

    Raises:
        ValueError: If shapes differ, a value is off the scale, or the metric, method or level is wrong.
    """
    resamples = Resamples.draw(clusters, n_resamples=n_resamples, rng=rng)
    cells = {"only": Cell.of(rater, reference, clusters, levels=levels)}
    return bootstrap(cells, {"metric": metric}, resamples=resamples).interval(
        "only", "metric", method=method, level=level
    )


@dataclass(frozen=True, eq=False)
class _Group:
    """Cells with the same clusters, whose counts stand side by side as the columns of one matrix."""

    rows: IntArray
    columns: Weights
    scales: tuple[tuple[int, IntArray], ...]

    def confusions(self, weights: Weights) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yields, for each length of scale, the cells' places and their (block, cells, K, K) confusion matrices."""
        products = weights[:, self.rows].astype(self.columns.dtype, copy=False) @ self.columns
        start = 0
        for levels, places in self.scales:
            stop = start + len(places) * levels * levels
            stack = products[:, start:stop].astype(np.float64)
            start = stop
            yield places, stack.reshape(-1, len(places), levels, levels)


def _groups(cells: Sequence[Cell], resamples: Resamples) -> Iterator[_Group]:
    by_clusters: dict[bytes, list[int]] = {}
    rows = [resamples.rows(cell.clusters) for cell in cells]
    for place, its_rows in enumerate(rows):
        by_clusters.setdefault(its_rows.tobytes(), []).append(place)
    for places in by_clusters.values():
        yield _group(cells, places, rows[places[0]], len(resamples.clusters))


def _group(cells: Sequence[Cell], places: list[int], rows: IntArray, n_draws: int) -> _Group:
    scales = sorted({cells[place].levels for place in places})
    ordered = [(levels, [place for place in places if cells[place].levels == levels]) for levels in scales]
    blocks = [cells[place].counts.reshape(len(rows), -1) for _, same in ordered for place in same]
    columns = np.concatenate(blocks, axis=1)
    # Sums of whole numbers below 2^24 are exact in float32: half the time, the same result in any order.
    exact = n_draws * int(columns.max(initial=0)) < _EXACT_IN_FLOAT32
    typed: Weights = columns.astype(np.float32) if exact else columns.astype(np.float64)
    return _Group(rows, typed, tuple((levels, np.array(same, dtype=np.int64)) for levels, same in ordered))
