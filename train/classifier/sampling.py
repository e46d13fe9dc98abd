"""Which items are drawn, how often and in which batches: fixed by the seed alone, so that a killed run goes on exactly.

The whole training is planned at once as draws of items, and batches of draws. Balanced sampling takes systematic
samples (Madow and Madow 1944): an item whose expected number of draws in a pass is e is drawn floor(e) or ceil(e)
times, so that a weight of one means once, not once on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from train.classifier.options import BatchRecipe, SamplingRecipe

GROUPED_AT_ONCE = 64
"""Batches' worth of items that are sorted by length together: many enough to pad little, few enough to stay random."""

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class DrawPlan:
    """What a training sees, in order.

    Attributes:
        items: Item of each draw, shape (draws,).
        batches: Draws of each batch.
        batches_per_pass: Number of batches in one pass over the items, on average.
    """

    items: IntArray
    batches: list[list[int]]
    batches_per_pass: float


def sampling_weights(factors: Sequence[tuple[Sequence[str], float]], most_often: float) -> FloatArray:
    """Return how often each item is drawn in a pass, on average 1: shape (items,).

    weight_i is proportional to the product over the factors of n(group of i)^-exponent, capped at `most_often`
    (what the cap takes is given to the others).

    Args:
        factors: For each factor the group of every item, and the exponent: 0 leaves it alone, 1 gives all groups
            the same share.
        most_often: The cap.
    """
    weights = np.ones(len(factors[0][0]))
    for groups, exponent in factors:
        _, place, counts = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
        weights *= counts[place].astype(np.float64) ** -exponent
    weights /= weights.mean()
    for _ in range(50):
        capped = weights >= most_often
        free = weights[~capped].sum()
        if not free or (abs(weights.mean() - 1) < 1e-9 and not (weights > most_often).any()):
            break
        weights[capped] = most_often
        weights[~capped] *= (len(weights) - most_often * capped.sum()) / free
    return weights


def balanced_weights(
    recipe: SamplingRecipe,
    *,
    languages: Sequence[str],
    registers: Sequence[str],
    labels: Sequence[str],
    sources: Sequence[str],
) -> FloatArray:
    """Return `sampling_weights` for a recipe."""
    factors = [
        (languages, recipe.languages),
        (registers, recipe.registers),
        (labels, recipe.labels),
        (sources, recipe.sources),
    ]
    return sampling_weights(factors, recipe.most_often)


def plan_draws(
    weights: FloatArray,
    lengths: IntArray,
    recipe: BatchRecipe,
    *,
    passes: float,
    seed: int,
    partners: Sequence[Sequence[int]] | None = None,
) -> DrawPlan:
    """Plan a training.

    Args:
        weights: Mean draws of each item in a pass, shape (items,).
        lengths: Tokens of each item.
        recipe: How batches are put together.
        passes: Passes over the items.
        seed: Of every choice.
        partners: For each item those that must share its batch: one of them, drawn anew each time, is added.
    """
    rng = np.random.default_rng(seed)
    total = max(1, round(passes * len(weights)))
    order: list[IntArray] = []
    while sum(map(len, order)) < total:
        order.append(_one_pass(weights, rng))
    draws = np.concatenate(order)[:total]
    units = [[int(item)] for item in draws]
    if partners is not None:
        units = [[item, int(rng.choice(partners[item]))] if len(partners[item]) else [item] for (item,) in units]
    batches, items = _batches(units, lengths, recipe, rng)
    return DrawPlan(np.array(items, dtype=np.int64), batches, len(batches) / passes)


def _one_pass(weights: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw items in random order, each floor(weight) or ceil(weight) times."""
    order = rng.permutation(len(weights))
    ends = np.cumsum(weights[order])
    marks = np.arange(round(float(ends[-1]))) + rng.random()
    drawn = order[np.minimum(np.searchsorted(ends, marks, side="right"), len(order) - 1)]
    return rng.permutation(drawn)


def _batches(
    units: list[list[int]], lengths: IntArray, recipe: BatchRecipe, rng: np.random.Generator
) -> tuple[list[list[int]], list[int]]:
    items = [item for unit in units for item in unit]
    ends = np.cumsum([len(unit) for unit in units])
    longest = np.array([max(int(lengths[item]) for item in unit) for unit in units])
    chunk = GROUPED_AT_ONCE * recipe.items if recipe.group_by_length else len(units)
    batches: list[list[int]] = []
    for start in range(0, len(units), max(1, chunk)):
        members = np.arange(start, min(start + chunk, len(units)))
        if recipe.group_by_length:
            members = members[np.argsort(longest[members], kind="stable")]
        made = list(_cut(members, longest, [len(units[m]) for m in members], recipe))
        for place in rng.permutation(len(made)) if recipe.group_by_length else range(len(made)):
            spans = (range(int(ends[m]) - len(units[m]), int(ends[m])) for m in made[place])
            batches.append([draw for span in spans for draw in span])
    return batches, items


def _cut(members: IntArray, longest: IntArray, sizes: list[int], recipe: BatchRecipe) -> list[list[int]]:
    """Cut a list of units into batches that keep to the limits; a unit that is too large alone is a batch alone."""
    batches: list[list[int]] = []
    current: list[int] = []
    count = width = 0
    for member, size in zip(members.tolist(), sizes, strict=True):
        grown, wider = count + size, max(width, int(longest[member]))
        full = grown > recipe.items or (recipe.tokens is not None and grown * wider > recipe.tokens)
        if current and full:
            batches.append(current)
            current, grown, wider = [], size, int(longest[member])
        current.append(member)
        count, width = grown, wider
    if current:
        batches.append(current)
    return batches
