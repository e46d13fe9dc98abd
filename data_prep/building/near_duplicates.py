"""Near-duplicates: MinHash signatures (Broder, 1997) by datasketch, candidates by banding, clusters by union.

Two texts are near-duplicates when the Jaccard similarity of their n-grams, as the signatures estimate it (standard
error at most 0.044 with 128 permutations), reaches the threshold. Candidates are texts that agree in a whole band of
the signature (locality-sensitive hashing; Indyk and Motwani, 1998); bands are as long as they can be while a pair at
the threshold is still found with probability 0.995. Every candidate pair is then verified. A cluster holds all texts
that near-duplicates connect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from data_prep.building.shingles import shingle_hashes

RECALL = 0.995
"""Probability with which a pair at the threshold becomes a candidate."""
PAIRS_AT_ONCE = 1 << 18
ALL_PAIRS_BELOW = 256
"""Bands that more texts than this share are searched from leaders, not pair by pair."""

Signatures = NDArray[np.uint32]


@dataclass(slots=True)
class SignatureMaker:
    """Makes MinHash signatures, batch by batch.

    Attributes:
        permutations: Length of a signature.
        seed: Seed of the permutations.
    """

    permutations: int
    seed: int
    batches: list[Signatures] = field(default_factory=list)

    def add(self, texts: Sequence[str]) -> None:
        """Add the signatures of further texts."""
        from datasketch import MinHash

        hashes, bounds = shingle_hashes(texts)
        pieces = (_one_batch(hashes[start:end]) for start, end in pairwise(bounds))
        made = MinHash.generator(pieces, num_perm=self.permutations, seed=self.seed, hashfunc=_as_they_are)
        rows = np.empty((len(texts), self.permutations), dtype=np.uint32)
        for row, sketch in zip(rows, made, strict=True):
            row[:] = sketch.hashvalues
        self.batches.append(rows)

    def signatures(self) -> Signatures:
        """Return the signatures of all texts so far, shape (texts, permutations).

        A text without n-grams has the largest value throughout.
        """
        if not self.batches:
            return np.empty((0, self.permutations), dtype=np.uint32)
        return np.concatenate(self.batches)


def _one_batch(hashes: NDArray[np.uint32]) -> list[NDArray[np.uint32]]:
    """Hand a text's hashes over as one array, which datasketch takes whole; value by value is six times slower."""
    return [hashes] if len(hashes) else []


def _as_they_are(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return hashes


def band_length(threshold: float, permutations: int) -> int:
    """Return the longest band with which a pair at the threshold becomes a candidate with probability `RECALL`."""
    for rows in range(permutations, 1, -1):
        if 1 - (1 - threshold**rows) ** (permutations // rows) >= RECALL:
            return rows
    return 1


def find_clusters(signatures: Signatures, threshold: float) -> NDArray[np.int64]:
    """Return the cluster of every text: the position of the cluster's first text.

    Args:
        signatures: Shape (texts, permutations). Texts without n-grams are near-duplicates of nothing.
        threshold: Jaccard similarity from which on two texts are near-duplicates.
    """
    n, permutations = signatures.shape
    clusters = np.arange(n)
    comparable = np.flatnonzero((signatures != np.iinfo(np.uint32).max).any(axis=1)) if n else clusters
    rows = band_length(threshold, permutations)
    for band in range(permutations // rows):
        keys = _band_keys(signatures, comparable, band * rows, rows)
        links = [found for found in _verified(signatures, comparable, keys, clusters, threshold) if len(found)]
        if links:
            clusters = _united(clusters, np.concatenate(links))
    return clusters


def unite_equal(clusters: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the clusters with those united whose texts share a key; texts without n-grams need this.

    Args:
        clusters: The cluster of every text, as `find_clusters` numbers them.
        keys: A hash of every text.
    """
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return _united(clusters, np.stack([np.arange(len(keys)), first[inverse]], axis=1)) if len(keys) else clusters


def _band_keys(signatures: Signatures, texts: NDArray[np.int64], start: int, rows: int) -> NDArray[np.uint64]:
    keys = np.zeros(len(texts), dtype=np.uint64)
    for column in range(start, start + rows):
        keys = (keys ^ signatures[texts, column]) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(32)
    return keys


def _verified(
    signatures: Signatures,
    texts: NDArray[np.int64],
    keys: NDArray[np.uint64],
    clusters: NDArray[np.int64],
    threshold: float,
) -> Iterator[NDArray[np.int64]]:
    """Yield the near-duplicates among the texts that share a key, shape (pairs, 2)."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(keys) else np.zeros(0, np.int64)
    sizes = np.diff(np.append(starts, len(keys)))
    for size in np.unique(sizes[sizes > 1]):
        at = starts[sizes == size]
        buckets = texts[order[at[:, None] + np.arange(size)]]
        apart = (clusters[buckets] != clusters[buckets[:, :1]]).any(axis=1)
        if size < ALL_PAIRS_BELOW:
            yield from _all_pairs(signatures, buckets[apart], clusters, threshold)
        else:
            yield from _from_leaders(signatures, buckets[apart], threshold)


def _all_pairs(
    signatures: Signatures, buckets: NDArray[np.int64], clusters: NDArray[np.int64], threshold: float
) -> Iterator[NDArray[np.int64]]:
    first, second = np.triu_indices(buckets.shape[1], k=1)
    step = max(1, PAIRS_AT_ONCE // len(first))
    for start in range(0, len(buckets), step):
        some = buckets[start : start + step]
        pairs = np.stack([some[:, first].ravel(), some[:, second].ravel()], axis=1)
        pairs = pairs[clusters[pairs[:, 0]] != clusters[pairs[:, 1]]]
        yield pairs[_similar(signatures, pairs, threshold)]


def _from_leaders(signatures: Signatures, buckets: NDArray[np.int64], threshold: float) -> Iterator[NDArray[np.int64]]:
    for bucket in buckets:
        left = bucket
        while len(left) > 1:
            pairs = np.stack([np.full(len(left) - 1, left[0]), left[1:]], axis=1)
            near = _similar(signatures, pairs, threshold)
            yield pairs[near]
            left = left[1:][~near]


def _similar(signatures: Signatures, pairs: NDArray[np.int64], threshold: float) -> NDArray[np.bool_]:
    found = np.zeros(len(pairs), dtype=bool)
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        some = pairs[start : start + PAIRS_AT_ONCE]
        found[start : start + len(some)] = (signatures[some[:, 0]] == signatures[some[:, 1]]).mean(axis=1) >= threshold
    return found


def _united(clusters: NDArray[np.int64], links: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the clusters with linked ones united, each named for its first text."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(clusters)
    rows = np.concatenate([np.arange(n), links[:, 0]])
    columns = np.concatenate([clusters, links[:, 1]])
    graph = coo_array((np.ones(len(rows), dtype=bool), (rows, columns)), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    first = np.full(labels.max() + 1 if n else 0, n)
    np.minimum.at(first, labels, np.arange(n))
    return np.asarray(first[labels])
