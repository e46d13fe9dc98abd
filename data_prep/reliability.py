"""How well annotators agree, by category, for any grouping of items: what annotation and builds print at once.

The figures are those of `evaluation.run`: they come from the same functions.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.taxonomy import Taxonomy
from evaluation.metrics import MISSING, gwet_ac, human_pairs, krippendorff_alpha, n_pairable

FIGURES = ("percentage_agreement", "linear_kappa", "alpha_ordinal", "ac2")
TITLES = ("agreement of pairs", "linear kappa of pairs", "alpha (ordinal)", "AC2 (quadratic)")


@dataclass(frozen=True, slots=True)
class Reliability:
    """How well the annotators of some items agree on one category.

    Attributes:
        group: What the items have in common.
        category: The category.
        annotators: Annotators who gave some level.
        items: Items with two or more levels.
        percentage_agreement: Mean over pairs of annotators (0-1).
        linear_kappa: Mean over pairs of Cohen's kappa with linear weights.
        alpha_ordinal: Krippendorff's alpha of all annotators, ordinal.
        ac2: Gwet's AC2 of all annotators, quadratic weights.
    """

    group: tuple[str, ...]
    category: str
    annotators: int
    items: int
    percentage_agreement: float | None
    linear_kappa: float | None
    alpha_ordinal: float | None
    ac2: float | None

    def figures(self) -> tuple[float | None, ...]:
        """Return the figures in the order of `FIGURES`; `None` where one is undefined."""
        return tuple(getattr(self, name) for name in FIGURES)


class ReliabilityTally:
    """Collects annotators' levels, a byte each, group by group."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        """Start with no item."""
        self.taxonomy = taxonomy
        self._levels: dict[tuple[tuple[str, ...], int], array[int]] = {}

    def add(self, group: tuple[str, ...], labels: Mapping[str, Sequence[int | None]]) -> None:
        """Count one item; items with fewer than two annotators say nothing about agreement and are passed over."""
        annotators = max((len(levels) for levels in labels.values()), default=0)
        if annotators < 2:
            return
        row = array("b")
        for name in self.taxonomy.names:
            levels = labels.get(name, ())
            row.extend(MISSING if level is None else level for level in levels)
            row.extend([MISSING] * (annotators - len(levels)))
        self._levels.setdefault((group, annotators), array("b")).extend(row)

    def add_levels(self, group: tuple[str, ...], levels: NDArray[np.int8]) -> None:
        """Count many items: levels and `MISSING`, shape (items, categories, annotators)."""
        if levels.shape[2] >= 2:
            self._levels.setdefault((group, levels.shape[2]), array("b")).frombytes(levels.tobytes())

    def reliabilities(self) -> Iterator[Reliability]:
        """Yield the figures of every group and category in which two people gave levels."""
        for group in sorted({group for group, _ in self._levels}):
            table = self._table(group)
            for place, category in enumerate(self.taxonomy):
                ratings = table[:, place, :]
                if n_pairable(ratings, levels=category.scale):
                    yield _reliability(group, category.name, ratings, category.scale)

    def _table(self, group: tuple[str, ...]) -> NDArray[np.int8]:
        """Return levels, shape (annotators, categories, items)."""
        parts = {count: levels for (name, count), levels in self._levels.items() if name == group}
        most = max(parts)
        tables = []
        for count, levels in sorted(parts.items()):
            some = np.frombuffer(levels, dtype=np.int8).reshape(-1, len(self.taxonomy), count)
            tables.append(np.pad(some, ((0, 0), (0, 0), (0, most - count)), constant_values=MISSING))
        return np.concatenate(tables).transpose(2, 1, 0)


def _reliability(group: tuple[str, ...], category: str, ratings: NDArray[np.int8], scale: int) -> Reliability:
    present = ratings[(ratings != MISSING).any(axis=1)]
    pairs = {
        name: human_pairs(present, name, levels=scale, undefined="skip").mean
        for name in ("percentage_agreement", "linear_kappa")
    }
    return Reliability(
        group=group,
        category=category,
        annotators=len(present),
        items=n_pairable(present, levels=scale),
        percentage_agreement=_defined(pairs["percentage_agreement"]),
        linear_kappa=_defined(pairs["linear_kappa"]),
        alpha_ordinal=_defined(krippendorff_alpha(present, levels=scale, measurement="ordinal")),
        ac2=_defined(gwet_ac(present, levels=scale, weights="quadratic")),
    )


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def mean_over_categories(found: Sequence[Reliability]) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return, by group, the mean of each figure over the categories in which it is defined."""
    groups: dict[tuple[str, ...], list[Reliability]] = {}
    for one in found:
        groups.setdefault(one.group, []).append(one)
    return {group: _mean_row(rows) for group, rows in groups.items()}


def _mean_row(rows: Sequence[Reliability]) -> dict[str, Any]:
    means: dict[str, Any] = {
        "annotators": max(row.annotators for row in rows),
        "items": max(row.items for row in rows),
        "categories": len(rows),
    }
    for name in FIGURES:
        values = [value for row in rows if (value := getattr(row, name)) is not None]
        means[name] = sum(values) / len(values) if values else None
    return means
