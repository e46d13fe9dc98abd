"""What calibration is fitted on: logits and people's levels of the calibration split, and the checks on them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from babelguard.errors import UserError
from serve.bundle import BundleCategory

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class CalibrationData:
    """The items of a calibration split.

    Attributes:
        logits: [items, columns] of P(level > above).
        levels: [items, categories], from 1; NaN where people gave none or the category is not covered.
        languages: [items], a tag each.
        benign: [items], whether an item is harmless (`benign_items`).
        source_ids: [items]; items of one source_id stay together in every resampling.
        categories: The categories in the columns' order.
        for_levels: [items], whether level thresholds are fitted on an item; on all if `None`.
    """

    logits: FloatArray
    levels: FloatArray
    languages: NDArray[np.str_]
    benign: BoolArray
    source_ids: NDArray[np.str_]
    categories: tuple[BundleCategory, ...]
    for_levels: BoolArray | None = None

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Category -> its columns."""
        found, start = {}, 0
        for category in self.categories:
            found[category.name] = slice(start, start + category.scale - 1)
            start += category.scale - 1
        return found

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The languages, sorted."""
        return tuple(sorted(set(self.languages.tolist())))

    @cached_property
    def exceeded(self) -> FloatArray:
        """[items, columns]: 1 where the level is above the column's, 0 where it is not, NaN where there is no level."""
        parts = []
        for place, category in enumerate(self.categories):
            level = self.levels[:, [place]]
            above = (level > np.arange(1, category.scale)).astype(np.float64)
            parts.append(np.where(np.isnan(level), np.nan, above))
        return np.concatenate(parts, axis=1)

    @cached_property
    def graded(self) -> FloatArray:
        """[items, categories]: the levels that level thresholds are fitted on, NaN elsewhere."""
        return self.levels if self.for_levels is None else np.where(self.for_levels[:, None], self.levels, np.nan)

    def subset(self, rows: BoolArray) -> CalibrationData:
        """Return the data of some rows."""
        return CalibrationData(
            self.logits[rows],
            self.levels[rows],
            self.languages[rows],
            self.benign[rows],
            self.source_ids[rows],
            self.categories,
            None if self.for_levels is None else self.for_levels[rows],
        )

    def folds(self, parts: int) -> NDArray[np.int64]:
        """Return a part (0 to `parts` - 1) for every item, by a hash of its source_id: stable when items are added."""
        of_id = {
            key: int(hashlib.sha256(f"calibration fold/{key}".encode()).hexdigest()[:8], 16) % parts
            for key in set(self.source_ids.tolist())
        }
        return np.array([of_id[key] for key in self.source_ids.tolist()], dtype=np.int64)


def checked_data(
    logits: ArrayLike,
    levels: ArrayLike,
    languages: Sequence[str],
    benign: ArrayLike,
    source_ids: Sequence[str],
    categories: Sequence[BundleCategory],
    elsewhere: Collection[str] = (),
    for_levels: ArrayLike | None = None,
) -> CalibrationData:
    """Check shapes, scales and the separation of splits, and put the arrays together.

    Args:
        logits: [items, columns].
        levels: [items, categories]; NaN where not covered.
        languages: [items].
        benign: [items].
        source_ids: [items].
        categories: The categories in the columns' order.
        elsewhere: The source_ids of the training and test splits.
        for_levels: [items], whether level thresholds are fitted on an item; on all if `None`.

    Raises:
        UserError: There are no items, a logit is not a number, a level is off its scale, no item that level thresholds
            are fitted on has a level, or a source_id is in
            another split too: calibration on training items is too sure, and on test items it spoils the test.
        ValueError: The shapes do not fit together.
    """
    data = CalibrationData(
        np.asarray(logits, dtype=np.float64),
        np.asarray(levels, dtype=np.float64),
        np.asarray(languages, dtype=np.str_),
        np.asarray(benign, dtype=np.bool_),
        np.asarray(source_ids, dtype=np.str_),
        tuple(categories),
        None if for_levels is None else np.asarray(for_levels, dtype=np.bool_),
    )
    items, columns = len(data.languages), sum(category.scale - 1 for category in data.categories)
    wanted: dict[str, tuple[Any, tuple[int, ...]]] = {
        "logits": (data.logits, (items, columns)),
        "levels": (data.levels, (items, len(data.categories))),
        "benign": (data.benign, (items,)),
        "source_ids": (data.source_ids, (items,)),
    }
    if data.for_levels is not None:
        wanted["for_levels"] = (data.for_levels, (items,))
    for name, (array, shape) in wanted.items():
        if array.shape != shape:
            raise ValueError(f"{name} has the shape {array.shape}, not {shape}")
    if not items:
        raise UserError("The calibration split holds no items; give some source_ids of the corpus to it.")
    if not np.isfinite(data.logits).all():
        row = int(np.flatnonzero(~np.isfinite(data.logits).all(axis=1))[0])
        raise UserError(f"Item {row} of the calibration split has a logit that is not a number; train the guard anew.")
    if shared := sorted(set(data.source_ids.tolist()) & set(elsewhere)):
        raise UserError(
            f"{len(shared)} source_ids of the calibration split are in the training or test split too, such as "
            f"{shared[0]!r}; splits must not share contents. Build the corpus again, by source_id."
        )
    _check_levels(data)
    if data.for_levels is not None and np.isnan(data.graded).all():
        raise UserError(
            "No item of the calibration split of the roles and registers that level thresholds are fitted on has a "
            "level; change calibration.roles or calibration.registers."
        )
    return data


def _check_levels(data: CalibrationData) -> None:
    for place, category in enumerate(data.categories):
        given = data.levels[:, place]
        wrong = ~np.isnan(given) & ((given < 1) | (given > category.scale) | (given != np.floor(given)))
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise UserError(
                f"Item {row} of the calibration split has the level {given[row]:g} for {category.name}, "
                f"off the scale 1-{category.scale}."
            )


def chosen_items(
    roles: Sequence[str],
    registers: Sequence[str],
    wanted_roles: Collection[str] | None,
    wanted_registers: Collection[str] | None,
) -> BoolArray:
    """Tell which items are of the wanted roles and registers; `None` wants all."""
    of_role = np.array([wanted_roles is None or role in wanted_roles for role in roles], dtype=np.bool_)
    of_register = np.array([wanted_registers is None or one in wanted_registers for one in registers], dtype=np.bool_)
    return np.asarray(of_role & of_register)


def benign_items(roles: Sequence[str], levels: ArrayLike) -> BoolArray:
    """Tell which items are harmless: benign completions, and items whose every covered category is at level 1.

    Args:
        roles: [items], as in `babelguard.item.Role`.
        levels: [items, categories]; NaN where not covered. An item without any level is not known to be harmless.
    """
    given = np.asarray(levels, dtype=np.float64)
    covered = ~np.isnan(given)
    clean = covered.any(axis=1) & ((given == 1) | ~covered).all(axis=1)
    return np.asarray((np.asarray(roles, dtype=np.str_) == "benign-completion") | clean)
