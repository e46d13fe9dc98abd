"""One comparison, a rater against a reference, as counts by cluster: what the bootstrap resamples."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evaluation.metrics.levels import MISSING, IntArray, Ratings, as_levels, as_table
from evaluation.metrics.resampling import Ids, cluster_ids


@dataclass(frozen=True, eq=False)
class Cell:
    """A comparison's confusion counts in each cluster; make it with `of`.

    Attributes:
        clusters: The distinct cluster ids of all its items, rated or not, sorted, shape (clusters,).
        counts: Confusion counts of each cluster, shape (clusters, K, K), rows the reference.
    """

    clusters: Ids
    counts: IntArray

    @classmethod
    def of(cls, rater: Ratings, reference: Ratings, clusters: npt.ArrayLike, *, levels: int) -> "Cell":
        """Counts a comparison.

        Args:
            rater: Ratings, shape (items,), with missing values.
            reference: Ratings of the same items, shape (items,), with missing values.
            clusters: The cluster id of each item, shape (items,). Items without a pair of ratings count
                nothing, but their clusters are kept, so that a language's cells share their clusters.
            levels: K, the number of levels.

        Raises:
            ValueError: If the shapes differ, a value is off the scale or a cluster id is missing.
        """
        ours, theirs, ids = as_levels(rater, levels), as_levels(reference, levels), cluster_ids(clusters)
        if ours.shape != ids.shape or theirs.shape != ids.shape:
            raise ValueError(
                f"Rater, reference and clusters are three lists of the same items: {ours.shape}, {theirs.shape} "
                f"and {ids.shape}."
            )
        distinct, place = np.unique(ids, return_inverse=True)
        both = (ours != MISSING) & (theirs != MISSING)
        flat = (place[both] * levels + theirs[both] - 1) * levels + ours[both] - 1
        counts = np.bincount(flat, minlength=len(distinct) * levels * levels)
        return cls(distinct, counts.reshape(len(distinct), levels, levels).astype(np.int64))

    @cached_property
    def kinds(self) -> tuple[IntArray, IntArray]:
        """The distinct count matrices, shape (kinds, K, K), and which of them each cluster has, shape (clusters,).

        In one language most clusters hold one item, so that there are K x K + 1 kinds and a thousand clusters: what
        is asked of every cluster need only be asked of every kind.
        """
        flat = self.counts.reshape(len(self.counts), -1)
        # One number for each row, exact while counts are small, sorts ten times faster than rows.
        base = int(flat.max(initial=0)) + 1
        if base ** flat.shape[1] >= 2**62:
            return self.counts, np.arange(len(self.counts), dtype=np.int64)
        code = flat @ (base ** np.arange(flat.shape[1], dtype=np.int64))
        _, first, place = np.unique(code, return_index=True, return_inverse=True)
        return self.counts[first], place.astype(np.int64)

    @property
    def levels(self) -> int:
        """K, the number of levels."""
        return int(self.counts.shape[-1])

    @property
    def n_items(self) -> int:
        """The number of items that both rated."""
        return int(self.counts.sum())

    @property
    def n_clusters(self) -> int:
        """The number of clusters with an item that both rated."""
        return int(self.counts.any(axis=(1, 2)).sum())


def human_pair_cells(humans: Ratings, clusters: npt.ArrayLike, *, levels: int) -> dict[tuple[int, int], Cell]:
    """Returns a cell for every pair (i, j) of humans, j compared with i: for the mean human pair.

    Args:
        humans: Shape (humans, items), with missing values.
        clusters: The cluster id of each item, shape (items,).
        levels: K, the number of levels.

    Raises:
        ValueError: If the shapes differ, a value is off the scale or a cluster id is missing.
    """
    table = as_table(humans, levels)
    return {
        (i, j): Cell.of(table[j], table[i], clusters, levels=levels)
        for i in range(len(table))
        for j in range(i + 1, len(table))
    }
