"""From logits to levels and figures while a classifier is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.item import Item, Role
from babelguard.taxonomy import Taxonomy
from evaluation.metrics.cohen_kappa import cohen_kappa_from_confusion
from evaluation.metrics.confusion import confusion_matrix
from evaluation.metrics.levels import MISSING
from train.classifier.columns import Columns, majority_levels
from train.classifier.dataset import twin_groups
from train.figures import Rated, figures_of

FloatArray = NDArray[np.float64]
CANDIDATES = 21
"""Thresholds that are tried for a column."""


@dataclass(frozen=True)
class Reference:
    """What people said of the items of a split, and what else figures need to know of them.

    Attributes:
        taxonomy: The categories.
        truth: The one level by item and category, `MISSING` where not covered.
        languages: A tag an item.
        benign: Whether an item is harmless by construction: a benign completion; where there is none, an item whose
            covered categories are all at level 1.
        twins: Rows of pairs, shape (pairs, 2): a text and its twin in another register.
    """

    taxonomy: Taxonomy
    truth: NDArray[np.int64]
    languages: NDArray[np.str_]
    benign: NDArray[np.bool_]
    twins: NDArray[np.int64]

    @classmethod
    def of(cls, items: list[Item], categories: Taxonomy) -> Reference:
        """Collect it from items."""
        levels = majority_levels(items, Columns.of(categories))
        truth = np.where(np.isnan(levels), MISSING, np.nan_to_num(levels)).astype(np.int64)
        benign = np.array([item.role is Role.BENIGN_COMPLETION for item in items], dtype=bool)
        if not benign.any():
            benign = (truth != MISSING).any(axis=1) & ((truth == MISSING) | (truth == 1)).all(axis=1)
        return cls(categories, truth, np.array([item.language for item in items]), benign, _pairs(items))


def probabilities_of(logits: NDArray[np.floating[Any]], columns: Columns) -> FloatArray:
    """Return P(level > above), shape (items, columns), non-increasing within a category by a running minimum."""
    chances = 1 / (1 + np.exp(-np.clip(logits.astype(np.float64), -50, 50)))
    for part in columns.slices:
        chances[:, part] = np.minimum.accumulate(chances[:, part], axis=1)
    return chances


def judge(
    logits: NDArray[np.floating[Any]], reference: Reference, thresholds: FloatArray | None = None
) -> dict[str, Any]:
    """Return the figures of a split, see `train.figures.figures_of`.

    Args:
        logits: Shape (items, columns).
        reference: Of the same items.
        thresholds: Of each column; 0.5 if not given.
    """
    columns = Columns.of(reference.taxonomy)
    chances = probabilities_of(logits, columns)
    levels = columns.levels(chances >= (0.5 if thresholds is None else thresholds))
    first = [part.start for part in columns.slices]
    rated = Rated(levels, reference.truth, chances[:, first], reference.languages, reference.benign, reference.twins)
    return figures_of(rated, reference.taxonomy)


def flat_figures(record: Mapping[str, Any]) -> dict[str, float]:
    """Return the summary, and kappa by category and by language (means over the other), as one level of numbers.

    Names are those of the summary, ``linear_kappa/<category>`` and ``linear_kappa/<language>``.
    """
    found = {name: float("nan") if value is None else value for name, value in record["summary"].items()}
    for by in ("category", "language"):
        for name in dict.fromkeys(cell[by] for cell in record["cells"]):
            values = [c["linear_kappa"] for c in record["cells"] if c[by] == name and c["linear_kappa"] is not None]
            found[f"linear_kappa/{name}"] = float(np.mean(values)) if values else float("nan")
    return found


def tuned_thresholds(logits: NDArray[np.floating[Any]], reference: Reference) -> FloatArray:
    """Return for each column the threshold at which linear kappa of its category is highest on these items.

    Column by column, twice through, all languages pooled: a quick choice to compare checkpoints by. What a guard
    ships with is fitted by `train.calibrating`.
    """
    columns = Columns.of(reference.taxonomy)
    chances = probabilities_of(logits, columns)
    found = np.full(len(columns), 0.5)
    for category, part in enumerate(columns.slices):
        truth = reference.truth[:, category]
        known = truth != MISSING
        if not known.any():
            continue
        found[part] = _tuned(chances[known, part], truth[known], columns.scales[category])
    return found


def _tuned(chances: FloatArray, truth: NDArray[np.int64], scale: int) -> FloatArray:
    thresholds = np.full(scale - 1, 0.5)

    def kappa(candidate: FloatArray) -> float:
        levels = 1 + np.logical_and.accumulate(chances >= candidate, axis=1).sum(axis=1)
        value = float(cohen_kappa_from_confusion(confusion_matrix(levels, truth, levels=scale), weights="linear"))
        return -1.0 if np.isnan(value) else value

    best = kappa(thresholds)
    for column in [*range(scale - 1)] * 2:
        # Rare levels live in the last per cents, so that candidates are dense there.
        shares = 1 - np.geomspace(1, 1e-3, CANDIDATES)
        for value in np.unique(np.quantile(chances[:, column], shares)):
            candidate = thresholds.copy()
            candidate[column] = value
            reached = kappa(candidate)
            if reached > best:
                best, thresholds = reached, candidate
    return thresholds


def _pairs(items: list[Item]) -> NDArray[np.int64]:
    groups = twin_groups(
        [item.source_id for item in items], [item.language for item in items], [item.role.value for item in items]
    )
    order = np.argsort(groups, kind="stable")
    order = order[groups[order] >= 0]
    # Each twin beside the first of its group: the neutral text where there is one.
    pairs: list[tuple[int, int]] = []
    for group in np.unique(groups[order]):
        members = sorted(order[groups[order] == group].tolist(), key=lambda i: (items[i].register != "neutral", i))
        pairs.extend(
            (members[0], other) for other in members[1:] if items[other].register != items[members[0]].register
        )
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
