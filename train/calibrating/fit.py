"""Fits calibration and thresholds: chooses by cross-validation what is per language, then fits on all items."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import ArrayLike

from serve.bundle import BundleCategory, Thresholds
from serve.calibration import sigmoid
from train.calibrating.block import CalibrationBlock, Reliability
from train.calibrating.cross_validation import (
    choose_calibration,
    choose_flag_strategy,
    choose_level_strategy,
    held_out_probabilities,
)
from train.calibrating.data import CalibrationData, FloatArray, checked_data
from train.calibrating.flags import fit_flags, flag_strategies
from train.calibrating.level_thresholds import fit_levels, languages_with_enough, strategies
from train.calibrating.options import CalibrationOptions
from train.calibrating.probabilities import apply_calibration, fit_calibration
from train.calibrating.reliability import brier_score, expected_calibration_error


def fit_block(
    logits: ArrayLike,
    levels: ArrayLike,
    languages: Sequence[str],
    benign: ArrayLike,
    source_ids: Sequence[str],
    categories: Sequence[BundleCategory],
    options: CalibrationOptions | None = None,
    elsewhere: Collection[str] = (),
    for_levels: ArrayLike | None = None,
) -> CalibrationBlock:
    """Fit the blocks `calibration` and `thresholds` of `guard.json` on a calibration split.

    Args:
        logits: [items, columns] of P(level > above), category by category.
        levels: [items, categories], people's levels from 1; NaN where not covered.
        languages: [items], a tag each.
        benign: [items], whether an item is harmless (`train.calibrating.data.benign_items`).
        source_ids: [items]; the alignment key of each item's content.
        categories: The categories in the columns' order.
        options: The options; the defaults if `None`.
        elsewhere: The source_ids of the training and test splits, which must not occur here.
        for_levels: [items], whether level thresholds are fitted on an item; on all if `None`.

    Raises:
        UserError: The split is empty, shares a source_id with another, holds a level off its scale, or has no level
            that level thresholds could be fitted on.
    """
    options = asked = options or CalibrationOptions()
    data = checked_data(logits, levels, languages, benign, source_ids, categories, elsewhere, for_levels)
    of_calibration, options, deviation = choose_calibration(data, options)
    of_levels, strategy = choose_level_strategy(data, options, deviation, strategies(options.levels))
    of_flags, flag_strategy = choose_flag_strategy(data, options, deviation, flag_strategies(options.flags))
    calibration = fit_calibration(data, options, deviation)
    probabilities = apply_calibration(calibration, data)
    fitted = fit_levels(probabilities, data, options.levels, [strategy])[strategy]
    flags = fit_flags(probabilities, data, options.flags, flag_strategy, fitted)
    return CalibrationBlock(
        calibration=calibration,
        thresholds=Thresholds(levels=fitted, flags=flags),
        selections=(of_calibration, of_levels, of_flags),
        reliability=tuple(_reliability(data, *before_and_after(data, options, deviation), options.bins)),
        remarks=tuple(_remarks(data, options)),
        options=asked,
    )


def before_and_after(
    data: CalibrationData, options: CalibrationOptions, deviation: float | None
) -> tuple[FloatArray, FloatArray]:
    """Return raw and held-out calibrated probabilities, [items, columns] each."""
    return np.asarray(sigmoid(data.logits)), held_out_probabilities(data, options, deviation)


def _reliability(data: CalibrationData, before: FloatArray, after: FloatArray, bins: int) -> list[Reliability]:
    found = []
    for category in data.categories:
        for above in range(1, category.scale):
            column = data.slices[category.name].start + above - 1
            # A split of one source_id has no held-out part.
            outcomes = np.where(np.isnan(after[:, column]), np.nan, data.exceeded[:, column])
            items = int((~np.isnan(outcomes)).sum())
            if not items:
                continue
            pair = (before[:, column], np.nan_to_num(after[:, column]))
            errors = [expected_calibration_error(p, outcomes, bins) for p in pair]
            briers = [brier_score(p, outcomes) for p in pair]
            found.append(
                Reliability(
                    category=category.name,
                    above=above,
                    items=items,
                    positives=int(np.nansum(outcomes)),
                    ece=(errors[0], errors[1]),
                    brier=(briers[0], briers[1]),
                )
            )
    return found


def _remarks(data: CalibrationData, options: CalibrationOptions) -> list[str]:
    found = []
    if options.levels.rule != "cross-validated":
        chosen = "" if options.levels.rule == "pooled" else "; cross-validation chose k alone"
        found.append(f"Level thresholds follow the rule {options.levels.rule}, as was asked{chosen}.")
    if data.for_levels is not None:
        wanted = " and ".join(
            f"{name} {', '.join(values)}"
            for name, values in (("roles", options.roles), ("registers", options.registers))
            if values is not None
        )
        found.append(
            f"Level thresholds were fitted on {int(data.for_levels.sum()):,} of {len(data.languages):,} items"
            f"{wanted and f' ({wanted})'}; probabilities and flags on all."
        )
    for place, category in enumerate(data.categories):
        given = data.levels[:, place]
        known = given[~np.isnan(given)]
        if not len(known):
            found.append(f"{category.name}: no item of the calibration split has a level; it is not calibrated.")
            continue
        graded = data.graded[:, place]
        graded = graded[~np.isnan(graded)]
        if not len(graded):
            found.append(f"{category.name}: no item that thresholds are fitted on has a level; its thresholds are 0.5.")
        elif len(np.unique(graded)) == 1:
            found.append(
                f"{category.name}: all {len(graded)} items are at level {int(graded[0])}; its thresholds are 0.5."
            )
    enough = languages_with_enough(data, options.levels)
    if lacking := [tag for tag in data.tags if tag not in enough]:
        found.append(f"Too few labelled items for level thresholds of their own: {', '.join(lacking)}.")
    if data.benign.any() and (data.benign.sum() + 1) * options.flags.target_false_positives < 2:
        found.append(
            f"{int(data.benign.sum())} benign items cannot show a rate of {options.flags.target_false_positives:.1%}: "
            "flag thresholds lie beyond the highest of them."
        )
    return found
