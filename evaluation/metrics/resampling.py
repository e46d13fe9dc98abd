"""Draws of whole clusters, shared by everything that is compared.

A cluster is what varies independently: a source_id, whose languages and registers belong together. The draws
are made block by block from seeds derived once, so they can be repeated without being stored, and two raters
that are resampled with the same `Resamples` meet the same clusters in every replicate.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from evaluation.metrics.levels import IntArray

Ids: TypeAlias = npt.NDArray[Any]

_BLOCK_ROWS = 500
_BLOCK_ENTRIES = 2**23


@dataclass(frozen=True, eq=False)
class Resamples:
    """Bootstrap draws of clusters; make them with `draw`.

    Attributes:
        clusters: The distinct cluster ids, sorted, shape (clusters,).
        strata: The stratum of each cluster as 0, 1, ..., shape (clusters,).
        n_resamples: The number of replicates.
        entropy: The seed material that was taken from the generator.
    """

    clusters: Ids
    strata: IntArray
    n_resamples: int
    entropy: tuple[int, ...]

    @classmethod
    def draw(
        cls,
        clusters: npt.ArrayLike,
        *,
        n_resamples: int = 10_000,
        rng: np.random.Generator | int = 0,
        strata: npt.ArrayLike | None = None,
    ) -> "Resamples":
        """Prepares draws of as many clusters as there are, with replacement.

        Args:
            clusters: Cluster ids, repeated as often as they have items, shape (items,).
            n_resamples: The number of replicates.
            rng: A NumPy generator, which is advanced, or a seed.
            strata: For each item the stratum of its cluster, or None. Within each stratum as many clusters are
                drawn as it has. Without strata, a language whose clusters are a part of all clusters keeps a
                random number of them in a replicate; the effect on a ratio is of second order.

        Raises:
            ValueError: If there is no cluster, a cluster is in two strata or n_resamples < 1.
        """
        ids = cluster_ids(clusters)
        if n_resamples < 1 or not len(ids):
            raise ValueError(f"{n_resamples} resamples of {len(ids)} items: both must be 1 or more.")
        distinct, first, place = np.unique(ids, return_index=True, return_inverse=True)
        stratum = np.zeros(len(ids), dtype=np.int64)
        if strata is not None:
            stratum = np.unique(cluster_ids(strata), return_inverse=True)[1].astype(np.int64)
        if len(stratum) != len(ids):
            raise ValueError(f"{len(ids)} items have {len(stratum)} strata: give one for each item.")
        by_cluster = stratum[first]
        if (by_cluster[place] != stratum).any():
            cluster = ids[np.flatnonzero(by_cluster[place] != stratum)[0]]
            raise ValueError(f"Cluster {cluster} is in two strata.")
        entropy = np.random.default_rng(rng).integers(2**32, size=4)
        return cls(distinct, by_cluster, n_resamples, tuple(int(word) for word in entropy))

    def rows(self, clusters: npt.ArrayLike) -> IntArray:
        """Returns the positions of cluster ids among `self.clusters`.

        Raises:
            ValueError: If an id is not among the clusters that are drawn.
        """
        ids = cluster_ids(clusters)
        places = np.minimum(np.searchsorted(self.clusters, ids), len(self.clusters) - 1)
        unknown = self.clusters[places] != ids
        if unknown.any():
            raise ValueError(f"Cluster {ids[unknown][0]} is not among the {len(self.clusters)} that are drawn.")
        return places.astype(np.int64)

    def blocks(self) -> Iterator[tuple[slice, IntArray]]:
        """Yields which replicates, and how often each cluster is drawn in them, shape (block, clusters).

        The counts are multinomial within strata. Every call yields the same blocks; their size depends on the
        number of clusters alone, so that memory is bounded and results do not depend on the machine.
        """
        size = max(1, min(_BLOCK_ROWS, _BLOCK_ENTRIES // len(self.clusters)))
        starts = range(0, self.n_resamples, size)
        seeds = np.random.SeedSequence(self.entropy).spawn(len(starts))
        members = [np.flatnonzero(self.strata == stratum) for stratum in np.unique(self.strata)]
        for start, seed in zip(starts, seeds, strict=True):
            stop = min(start + size, self.n_resamples)
            rng = np.random.default_rng(seed)
            counts = np.empty((stop - start, len(self.clusters)), dtype=np.int64)
            for rows in members:
                counts[:, rows] = _draw_counts(rng, stop - start, len(rows))
            yield slice(start, stop), counts

    def counts(self) -> IntArray:
        """Returns all the draws at once, shape (n_resamples, clusters): for tests and small data."""
        return np.concatenate([block for _, block in self.blocks()])


def _draw_counts(rng: np.random.Generator, replicates: int, n: int) -> IntArray:
    """Counts n draws from n clusters: multinomial, and faster than drawing a multinomial for large n."""
    draws = rng.integers(n, size=(replicates, n)) + n * np.arange(replicates)[:, None]
    return np.bincount(draws.ravel(), minlength=replicates * n).reshape(replicates, n)


def cluster_ids(clusters: npt.ArrayLike) -> Ids:
    """Returns ids that sort, one-dimensional; a missing id would silently make one large cluster.

    Raises:
        ValueError: If an id is missing or the ids are not one-dimensional.
    """
    ids = np.asarray(clusters)
    if ids.dtype.kind == "O":
        if any(value is None or value != value for value in ids.ravel()):  # noqa: PLR0124 (NaN)
            raise ValueError("Every item needs a cluster id; at least one is missing.")
        ids = np.asarray(ids.tolist())
    if ids.ndim != 1:
        raise ValueError(f"Cluster ids have the shape (items,), not {ids.shape}.")
    if ids.dtype.kind == "f" and np.isnan(ids).any():
        raise ValueError("Every item needs a cluster id; at least one is NaN.")
    return ids
