"""Who is measured against whom: raters against the majority of people, people against one another.

Where a source publishes one label for all its annotators (a gold label), that one stands in the majority's place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.metrics.consensus import consensus
from evaluation.metrics.human_agreement import leave_one_out_references
from evaluation.metrics.levels import MISSING
from evaluation.rating_table import RatingTable

MAJORITY = "majority"
OTHER_HUMANS = "other-humans"
HUMAN_PAIRS = "human-pairs"
HUMAN_LEFT_OUT = "human-left-out"
HUMANS = "humans"

Levels = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two sets of ratings of the same items, both item x category with `MISSING`."""

    rater: str
    reference: str
    levels: Levels
    truth: Levels


@dataclass(frozen=True, slots=True)
class Subject:
    """One line of a table: the mean over one or more pairings.

    Attributes:
        rater: Who is measured.
        reference: Against whom.
        parts: The pairings whose figures are averaged.
        categories: Positions of the categories that the rater covers.
        brief: Only the headline metrics are wanted.
        detail: A line that is wanted for the whole corpus only, not for its subsets, roles and registers.
        system: The rater is not a person and is measured against the majority.
    """

    rater: str
    reference: str
    parts: tuple[Pairing, ...]
    categories: tuple[int, ...]
    brief: bool = False
    detail: bool = False
    system: bool = False


def human_name(annotator: int) -> str:
    """Return the name of an annotator, counted from 0."""
    return f"human-{annotator + 1}"


def majority_levels(items: ItemTable, categories: Taxonomy) -> Levels:
    """Return item x category: the label that the source publishes for all annotators, else what they say together.

    That is their majority, or their rounded mean where there is none.
    """
    return np.where(items.published == MISSING, _together(items, categories), items.published)


def published_levels(items: ItemTable, categories: Taxonomy) -> tuple[int, int]:
    """Return how many labels the source publishes for several annotators, and how many of them are not theirs."""
    several = (items.raw != MISSING).sum(axis=0) > 1
    own = several & (items.published != MISSING)
    return int(own.sum()), int((own & (items.published != _together(items, categories))).sum())


def _together(items: ItemTable, categories: Taxonomy) -> Levels:
    columns = [consensus(items.raw[:, :, c], levels=category.scale) for c, category in enumerate(categories)]
    return np.stack(columns, axis=1).astype(np.int8)


def left_out_references(items: ItemTable, categories: Taxonomy) -> NDArray[np.int8]:
    """Return annotator x item x category: what the other annotators say together."""
    columns = [
        leave_one_out_references(items.raw[:, :, c], levels=category.scale) for c, category in enumerate(categories)
    ]
    return np.stack(columns, axis=2).astype(np.int8)


def make_subjects(items: ItemTable, ratings: Sequence[RatingTable], categories: Taxonomy) -> list[Subject]:
    """Return all lines of the tables: the raters, and people where an item has several annotators.

    Against the majority a rater has a cleaner reference than a person has against the two others. So every rater
    is also measured against what each pair of annotators says, as a left-out person is: those two figures compare.
    """
    truth = majority_levels(items, categories)
    everything = tuple(range(len(categories)))
    covered = {table.summary.name: tuple(categories.names.index(c) for c in table.summary.covers) for table in ratings}
    subjects = [
        Subject(name, MAJORITY, (Pairing(name, MAJORITY, table.levels, truth),), covered[name], system=True)
        for table in ratings
        for name in [table.summary.name]
    ]
    if items.annotators < 2:
        return subjects
    pairs = tuple(
        Pairing(human_name(j), human_name(i), items.raw[j], items.raw[i])
        for i, j in combinations(range(items.annotators), 2)
    )
    subjects += [Subject(pair.rater, pair.reference, (pair,), everything, detail=True) for pair in pairs]
    subjects.append(Subject(HUMAN_PAIRS, HUMANS, pairs, everything))
    if items.annotators < 3:
        return subjects
    others = left_out_references(items, categories)
    left_out = tuple(Pairing(human_name(i), OTHER_HUMANS, items.raw[i], others[i]) for i in range(items.annotators))
    subjects.append(Subject(HUMAN_LEFT_OUT, OTHER_HUMANS, left_out, everything))
    for table in ratings:
        name = table.summary.name
        parts = tuple(Pairing(name, OTHER_HUMANS, table.levels, reference) for reference in others)
        subjects.append(Subject(name, OTHER_HUMANS, parts, covered[name], brief=True, detail=True))
    return subjects
