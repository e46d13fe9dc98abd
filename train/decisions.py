"""From a run's predictions to calibrated levels and probabilities: what its bundle will say of the same logits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from babelguard.taxonomy import Taxonomy
from serve.bundle import BundleCategory, CalibrationColumns
from serve.calibration import calibrate_column, levels_of, non_increasing
from train.calibrating import CalibrationBlock
from train.predictions import Predictions

FloatArray = NDArray[np.float64]


def bundle_categories(taxonomy: Taxonomy) -> tuple[BundleCategory, ...]:
    """Return a taxonomy's categories as a bundle tells them."""
    return tuple(BundleCategory(name=c.name, title=c.title, scale=c.scale) for c in taxonomy)


def decide(
    block: CalibrationBlock, predictions: Predictions, taxonomy: Taxonomy
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return levels, shape (items, categories), and calibrated probabilities, (items, columns).

    A language has its own values where the block gives them, category by category; all else is pooled.

    Args:
        block: Calibration and thresholds.
        predictions: Logits and languages.
        taxonomy: The categories, in the order of the columns.
    """
    slices = _slices(taxonomy)
    levels = np.ones((len(predictions), len(taxonomy)), dtype=np.int64)
    probabilities = np.zeros(predictions.logits.shape, dtype=np.float64)
    for tag in dict.fromkeys(predictions.languages.tolist()):
        rows = predictions.languages == tag
        columns: CalibrationColumns = {**block.calibration.pooled, **block.calibration.languages.get(tag, {})}
        limits = {**block.thresholds.levels.pooled, **block.thresholds.levels.languages.get(tag, {})}
        logits = predictions.logits[rows].astype(np.float64)
        found = [
            calibrate_column(logits[:, number], columns[name][number - place.start] if name in columns else None)
            for name, place in slices.items()
            for number in range(place.start, place.stop)
        ]
        probabilities[rows] = non_increasing(np.stack(found, axis=-1), slices)
        thresholds = np.array([t for name in slices for t in limits[name]], dtype=np.float64)
        levels[rows] = levels_of(probabilities[rows], thresholds, slices)
    return levels, probabilities


def _slices(taxonomy: Taxonomy) -> dict[str, slice]:
    found: dict[str, slice] = {}
    start = 0
    for category in taxonomy:
        found[category.name] = slice(start, start + category.scale - 1)
        start += category.scale - 1
    return found
