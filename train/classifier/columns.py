"""The columns of a classifier guard: one (category, above) pair each, and levels and targets in terms of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.taxonomy import Taxonomy

FloatArray = NDArray[np.float32]


@dataclass(frozen=True)
class Columns:
    """The columns of a taxonomy: category by category, ``above`` from 1 to the scale less 1.

    Attributes:
        names: Categories, in the taxonomy's order.
        scales: Highest level of each.
    """

    names: tuple[str, ...]
    scales: tuple[int, ...]

    @classmethod
    def of(cls, categories: Taxonomy) -> Columns:
        """Return the columns of a taxonomy."""
        return cls(categories.names, tuple(category.scale for category in categories))

    def __len__(self) -> int:
        return sum(scale - 1 for scale in self.scales)

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """The columns of each category."""
        ends = np.cumsum([scale - 1 for scale in self.scales]).tolist()
        return tuple(slice(end - scale + 1, end) for end, scale in zip(ends, self.scales, strict=True))

    @property
    def pairs(self) -> list[tuple[str, int]]:
        """Category and level above which, of each column."""
        return [(name, above) for name, scale in zip(self.names, self.scales, strict=True) for above in range(1, scale)]

    @property
    def titles(self) -> list[str]:
        """A name for each column, such as ``Insult>1``."""
        return [f"{name}>{above}" for name, above in self.pairs]

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Repeat values by category, shape (..., categories), for the columns: (..., columns)."""
        return np.repeat(values, [scale - 1 for scale in self.scales], axis=-1)

    def levels(self, exceeded: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return levels, shape (items, categories): 1 + the number of leading columns that are exceeded."""
        return np.stack(
            [1 + np.logical_and.accumulate(exceeded[:, part], axis=1).sum(axis=1) for part in self.slices], axis=1
        )


def majority_levels(items: Sequence[Item], columns: Columns) -> FloatArray:
    """Return the one level by item and category, NaN where there is none: shape (items, categories)."""
    found = np.full((len(items), len(columns.names)), np.nan, dtype=np.float32)
    for row, item in enumerate(items):
        for name, label in item.aggregated_labels().items():
            found[row, _place(columns, name, item)] = _checked(label.level, columns, name, item)
    return found


def targets(items: Sequence[Item], columns: Columns, *, soft: bool) -> FloatArray:
    """Return what each column should be: shape (items, columns), range 0 to 1, NaN where not covered.

    Args:
        items: The items.
        columns: The columns.
        soft: With several annotators, the share of them above the column's level; else whether the one level that
            stands for them is above it.
    """
    found = np.full((len(items), len(columns)), np.nan, dtype=np.float32)
    for row, item in enumerate(items):
        given = {name: [level] for name, level in ((n, a.level) for n, a in item.aggregated_labels().items())}
        if soft:
            raw = {name: [v for v in levels if v is not None] for name, levels in item.labels.items()}
            given.update({name: levels for name, levels in raw.items() if levels and name not in item.aggregated})
        for name, levels in given.items():
            place = _place(columns, name, item)
            above = np.arange(1, columns.scales[place])
            votes = np.array([_checked(level, columns, name, item) for level in levels])
            shares = (votes[:, None] > above).mean(axis=0)
            if item.metadata.get("label_scale") == "binary" and shares[0] > 0:
                shares[1:] = np.nan
            found[row, columns.slices[place]] = shares
    return found


def _place(columns: Columns, name: str, item: Item) -> int:
    if name not in columns.names:
        raise UserError(f"The item {item.id} has labels for {name!r}, which is none of {', '.join(columns.names)}.")
    return columns.names.index(name)


def _checked(level: int, columns: Columns, name: str, item: Item) -> int:
    scale = columns.scales[_place(columns, name, item)]
    if not 1 <= level <= scale:
        raise UserError(f"The item {item.id} has the level {level} for {name}, off the scale 1-{scale}.")
    return level
