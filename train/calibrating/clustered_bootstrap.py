"""Standard errors that know that items of one source_id belong together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

REPLICATES: Final = 200
"""Enough for a standard error: its own relative error is then about 5%."""


def bootstrap_weights(
    source_ids: NDArray[np.str_], seed: int, replicates: int = REPLICATES
) -> Iterator[NDArray[np.float64]]:
    """Yield how often each item counts in each replicate of a bootstrap over source_ids (Davison and Hinkley 1997).

    Args:
        source_ids: [items].
        seed: Seed.
        replicates: Number of replicates.
    """
    _, place = np.unique(source_ids, return_inverse=True)
    clusters = int(place.max()) + 1
    generator = np.random.default_rng(seed)
    for _ in range(replicates):
        drawn = np.bincount(generator.integers(clusters, size=clusters), minlength=clusters)
        yield drawn[place].astype(np.float64)
