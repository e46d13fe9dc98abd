"""From logits to calibrated probabilities: the pooled calibration of every column, and each language's own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from serve.bundle import Calibration, CalibrationColumns
from serve.calibration import calibrate_column, non_increasing
from train.calibrating.data import CalibrationData, FloatArray
from train.calibrating.language_shift import calibrated_scores, language_log_slopes, language_shifts, moved
from train.calibrating.options import CalibrationOptions
from train.calibrating.sigmoid_fit import fit_column


def fit_calibration(data: CalibrationData, options: CalibrationOptions, deviation: float | None) -> Calibration:
    """Fit the calibration of every column.

    Args:
        data: The items.
        options: The options.
        deviation: Standard deviation of the languages' own shifts; pooled calibration only if `None`.
    """
    if options.method == "none":
        return Calibration()
    tags = data.tags
    index = {tag: place for place, tag in enumerate(tags)}
    groups = np.array([index[tag] for tag in data.languages.tolist()], dtype=np.int64)
    pooled: CalibrationColumns = {}
    own: dict[str, CalibrationColumns] = {tag: {} for tag in tags}
    multiply = options.method == "temperature"
    fit_shifts = language_log_slopes if multiply else language_shifts
    for name, place in data.slices.items():
        columns = []
        by_language: list[list[float]] = [[] for _ in tags]
        for number in range(place.start, place.stop):
            known = ~np.isnan(data.exceeded[:, number])
            logits, exceeded = data.logits[known, number], data.exceeded[known, number]
            column = fit_column(options.method, logits, exceeded)
            columns.append(column)
            if deviation is not None:
                shifts = fit_shifts(calibrated_scores(column, logits), exceeded, groups[known], len(tags), deviation)
                for one, shift in zip(by_language, shifts, strict=True):
                    one.append(float(shift))
        pooled[name] = tuple(columns)
        if deviation is not None:
            for tag, shifts_of in zip(tags, by_language, strict=True):
                if any(shifts_of):
                    own[tag][name] = tuple(
                        moved(column, shift, multiply=multiply)
                        for column, shift in zip(columns, shifts_of, strict=True)
                    )
    return Calibration(
        method=options.method, pooled=pooled, languages={tag: entry for tag, entry in own.items() if entry}
    )


def apply_calibration(calibration: Calibration, data: CalibrationData, *, monotone: bool = True) -> FloatArray:
    """Return calibrated probabilities, [items, columns], as `serve.calibration.Calibrator` does.

    Args:
        calibration: The calibration.
        data: The items; a language without its own values gets the pooled ones.
        monotone: Whether to take the running minimum within a category.
    """
    found = np.empty_like(data.logits)
    for tag in data.tags:
        rows = data.languages == tag
        columns: CalibrationColumns = {**calibration.pooled, **calibration.languages.get(tag, {})}
        parts: Sequence[FloatArray] = [
            calibrate_column(
                data.logits[rows, number], columns[name][number - place.start] if name in columns else None
            )
            for name, place in data.slices.items()
            for number in range(place.start, place.stop)
        ]
        found[rows] = np.stack(parts, axis=-1)
    return non_increasing(found, data.slices) if monotone else found


def log_loss(probabilities: FloatArray, exceeded: FloatArray) -> FloatArray:
    """Return -log P(what people said), [items, columns], NaN where they said nothing (the logarithmic score)."""
    clipped = np.clip(probabilities, 1e-9, 1 - 1e-9)
    return np.asarray(-(exceeded * np.log(clipped) + (1 - exceeded) * np.log1p(-clipped)))
