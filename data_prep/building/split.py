"""Split: whole groups of aligned and near-duplicate items, by hash, with the sources' own splits above all.

A group is what source_ids and near-duplicate clusters connect. Its split is decided by the hash of one source_id: the
member with the smallest hash. So an item that is added moves nothing unless it joins groups to one another.

Where sources bring their own splits, these stay as they are, and what would leak gives way:

- a row is dropped whose cluster or source_id reaches into an earlier split of `PRECEDENCE` that a source fixed;
- a row without a split of its own is dropped where it is a near-duplicate of a fixed test or calibration row, and
  follows the fixed rows that it shares a source_id, or a training cluster, with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from babelguard.recipe import RecipeModel

PRECEDENCE = ("test", "calibration", "train")
"""Splits by position; of two rows that belong together, the one in the earlier split stays."""
TRAIN, FREE, DROPPED = 2, -1, -2

Ints = NDArray[np.int64]


class SplitRecipe(RecipeModel):
    """Shares of the splits, in per cent of the groups; the rest is train."""

    test: int = Field(20, ge=0, le=100, description="Share of the test split, in per cent")
    calibration: int = Field(10, ge=0, le=100, description="Share of the calibration split, in per cent")

    @model_validator(mode="after")
    def _at_most_all(self) -> SplitRecipe:
        if self.test + self.calibration > 100:
            raise ValueError("test and calibration together are more than 100 per cent")
        return self


@dataclass(frozen=True, slots=True)
class Assignment:
    """Where every item goes.

    Attributes:
        splits: Position in `PRECEDENCE`, or `DROPPED`.
        reasons: Why an item is dropped; an empty string where it is not.
    """

    splits: Ints
    reasons: NDArray[np.object_]


def hashed_split(source_id: str, shares: SplitRecipe) -> int:
    """Return the split of a source_id by its hash: ``int(sha256(source_id)[:8 hex digits]) % 100``, test first."""
    bucket = int(hashlib.sha256(source_id.encode("utf-8", "surrogatepass")).hexdigest()[:8], 16) % 100
    if bucket < shares.test:
        return PRECEDENCE.index("test")
    return PRECEDENCE.index("calibration") if bucket < shares.test + shares.calibration else TRAIN


def assign_splits(
    contents: Ints, clusters: Ints, own: Ints, source_ids: Sequence[str], ranks: NDArray[np.uint64], shares: SplitRecipe
) -> Assignment:
    """Assign every item to a split, or drop it.

    Args:
        contents: Position of each item's source_id in `source_ids`.
        clusters: Near-duplicate cluster of each item, in any numbering.
        own: The split that the source fixed, by position in `PRECEDENCE`; `FREE` where it fixed none.
        source_ids: The source_ids.
        ranks: `hash_rank` of each source_id.
        shares: Shares of the splits.
    """
    clusters = np.unique(clusters, return_inverse=True)[1]
    splits = own.copy()
    reasons = np.full(len(own), "", dtype=object)
    fixed = own != FREE
    first_of_cluster = _first_fixed(clusters, own, len(own))
    first_of_content = _first_fixed(contents, own, len(source_ids))
    _drop(splits, reasons, fixed & (own > first_of_cluster[clusters]), first_of_cluster[clusters], "near-duplicate")
    _drop(splits, reasons, fixed & (own > first_of_content[contents]), first_of_content[contents], "aligned")

    foreign = ~fixed & (first_of_cluster[clusters] < TRAIN) & (first_of_content[contents] != first_of_cluster[clusters])
    _drop(splits, reasons, foreign, first_of_cluster[clusters], "near-duplicate")
    free = np.flatnonzero(splits == FREE)
    groups = _groups(contents[free], clusters[free], len(source_ids))
    wanted = np.minimum(first_of_cluster[clusters[free]], first_of_content[contents[free]])
    splits[free] = _of_groups(groups, contents[free], wanted, source_ids, ranks, shares)
    for first in (first_of_content[contents], first_of_cluster[clusters]):
        stranded = np.zeros(len(own), dtype=bool)
        stranded[free] = (first[free] <= TRAIN) & (first[free] != splits[free])
        _drop(splits, reasons, stranded, first, "near-duplicate")
    return Assignment(splits, reasons)


def _first_fixed(labels: Ints, own: Ints, size: int) -> Ints:
    """Return the earliest fixed split of every label; one past the last split where none is fixed."""
    first = np.full(size, len(PRECEDENCE))
    fixed = own != FREE
    np.minimum.at(first, labels[fixed], own[fixed])
    return first


def _drop(splits: Ints, reasons: NDArray[np.object_], which: NDArray[np.bool_], of: Ints, how: str) -> None:
    fresh = which & (splits != DROPPED)
    splits[fresh] = DROPPED
    for place, name in enumerate(PRECEDENCE):
        reasons[fresh & (of == place)] = f"{how}-of-fixed-{name}"


def _groups(contents: Ints, clusters: Ints, n_contents: int) -> Ints:
    """Return the connected component of every item: items are edges between source_ids and clusters."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not len(contents):
        return contents
    size = n_contents + int(clusters.max()) + 1
    graph = coo_array((np.ones(len(contents), dtype=bool), (contents, n_contents + clusters)), shape=(size, size))
    _, labels = connected_components(graph, directed=False)
    return np.asarray(labels[contents], dtype=np.int64)


def _of_groups(
    groups: Ints,
    contents: Ints,
    wanted: Ints,
    source_ids: Sequence[str],
    ranks: NDArray[np.uint64],
    shares: SplitRecipe,
) -> Ints:
    if not len(groups):
        return groups
    size = int(groups.max()) + 1
    first = np.full(size, len(PRECEDENCE))
    np.minimum.at(first, groups, wanted)
    order = np.argsort(ranks[contents], kind="stable")[::-1]
    speaker = np.zeros(size, dtype=np.int64)
    speaker[groups[order]] = contents[order]  # the smallest rank is written last
    of_group = first.copy()
    for group in np.unique(groups[first[groups] == len(PRECEDENCE)]):
        of_group[group] = hashed_split(source_ids[speaker[group]], shares)
    return np.asarray(of_group[groups])
