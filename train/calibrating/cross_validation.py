"""Cross-validation by source_id: what values per language would gain on contents that they were not fitted on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from train.calibrating.block import CalibrationBlock, Selection
from train.calibrating.clustered_bootstrap import bootstrap_weights
from train.calibrating.data import CalibrationData, FloatArray
from train.calibrating.flag_thresholds import pinball_loss
from train.calibrating.flags import FlagStrategy, alarm_quantiles, benign_tails, flag_columns
from train.calibrating.level_thresholds import Strategy, apply_levels, fit_levels, mean_kappa
from train.calibrating.options import CalibrationOptions
from train.calibrating.probabilities import apply_calibration, fit_calibration, log_loss
from train.calibrating.selection import POOLED, choose

RAW = "raw"
_DEVIATION = "deviation "

Fold = tuple[CalibrationData, CalibrationData, NDArray[np.bool_]]


def folds_of(data: CalibrationData, parts: int) -> Iterator[Fold]:
    """Yield, for each part, the other items, its items, and which rows are its own; empty parts are left out."""
    place = data.folds(parts)
    for part in sorted(set(place.tolist())):
        held_out = place == part
        if not held_out.all():
            yield data.subset(~held_out), data.subset(held_out), held_out


def choose_calibration(
    data: CalibrationData, options: CalibrationOptions
) -> tuple[Selection, CalibrationOptions, float | None]:
    """Choose how far languages' calibrations may lie from the pooled one, by the logarithmic score.

    Where raw probabilities are better than any calibration, as on few contents they may be, there is none.

    Returns:
        The selection, the options with the method that was chosen, and the deviation.
    """
    tried: dict[str, float | None] = {POOLED: None, RAW: None}
    if options.per_language == "cross-validated" and options.method != "none" and len(data.tags) > 1:
        tried |= {f"{_DEVIATION}{value:g}": value for value in options.deviations}
    losses = {name: np.full(data.logits.shape, np.nan) for name in tried}
    for rest, part, rows in folds_of(data, options.folds):
        for name, deviation in tried.items():
            fitted = fit_calibration(rest, _method(options, name), deviation)
            losses[name][rows] = log_loss(apply_calibration(fitted, part, monotone=False), part.exceeded)
    by_item = {name: _row_means(values) for name, values in losses.items()}
    selection = _choose_by_items("calibration", "logarithmic score (lower is better)", by_item, data, options)
    return selection, _method(options, selection.chosen), tried[selection.chosen]


def _method(options: CalibrationOptions, name: str) -> CalibrationOptions:
    return options.model_copy(update={"method": "none"}) if name == RAW else options


def chosen_deviation(block: CalibrationBlock) -> float | None:
    """Return how far a block's languages may lie from its pooled calibration; `None` if they do not."""
    for selection in block.selections:
        if selection.what == "calibration" and selection.chosen.startswith(_DEVIATION):
            return float(selection.chosen.removeprefix(_DEVIATION))
    return None


def choose_level_strategy(
    data: CalibrationData, options: CalibrationOptions, deviation: float | None, tried: Sequence[Strategy]
) -> tuple[Selection, Strategy]:
    """Choose how languages get level thresholds: by the mean over languages and categories of held-out kappa.

    Where the options name a rule, only its k is chosen.
    """
    levels = {one: np.ones((len(data.languages), len(data.categories)), dtype=np.int64) for one in tried}
    for rest, part, rows in folds_of(data, options.folds):
        calibration = fit_calibration(rest, options, deviation)
        fitted = fit_levels(apply_calibration(calibration, rest), rest, options.levels, tried)
        probabilities = apply_calibration(calibration, part)
        for one in tried:
            levels[one][rows] = apply_levels(probabilities, part, fitted[one])
    scores = {one.name: mean_kappa(levels[one], data) for one in tried}
    replicates: dict[str, list[float]] = {one.name: [] for one in tried}
    if len(tried) > 1:
        for weights in bootstrap_weights(data.source_ids, options.seed):
            for one in tried:
                replicates[one.name].append(mean_kappa(levels[one], data, weights))
    figure = "mean linear-weighted kappa over languages and categories (higher is better)"
    own = options.levels.rule in ("shares", "kappa")
    selection = choose("levels", figure, scores, replicates, lower=False, own=own)
    return selection, next(one for one in tried if one.name == selection.chosen)


def choose_flag_strategy(
    data: CalibrationData, options: CalibrationOptions, deviation: float | None, tried: Sequence[FlagStrategy]
) -> tuple[Selection, FlagStrategy]:
    """Choose how languages get flag thresholds: by the quantile loss of benign items' alarms."""
    share, columns = options.flags.target_false_positives, flag_columns(data, options.flags)
    losses = {one.name: np.full(len(data.languages), np.nan) for one in tried}
    for rest, part, rows in folds_of(data, options.folds):
        if not rest.benign.any() or not part.benign.any():
            continue
        calibration = fit_calibration(rest, options, deviation)
        before = apply_calibration(calibration, rest)[:, columns]
        tails = benign_tails(before, rest)
        alarms = tails.alarms(apply_calibration(calibration, part)[:, columns])
        for one in tried:
            pooled, own = alarm_quantiles(tails.alarms(before), rest, options.flags, one)
            quantiles = np.array([own.get(tag, pooled) for tag in part.languages.tolist()])
            loss = np.array([pinball_loss(alarms[[n]], q, share)[0] for n, q in enumerate(quantiles)])
            losses[one.name][rows] = np.where(part.benign, loss, np.nan)
    selection = _choose_by_items("flags", "quantile loss of benign alarms (lower is better)", losses, data, options)
    return selection, next(one for one in tried if one.name == selection.chosen)


def held_out_probabilities(data: CalibrationData, options: CalibrationOptions, deviation: float | None) -> FloatArray:
    """Return calibrated probabilities, [items, columns], each by a calibration that was fitted on other contents."""
    found = np.full(data.logits.shape, np.nan)
    for rest, part, rows in folds_of(data, options.folds):
        found[rows] = apply_calibration(fit_calibration(rest, options, deviation), part)
    return found


def _choose_by_items(
    what: str, figure: str, losses: Mapping[str, FloatArray], data: CalibrationData, options: CalibrationOptions
) -> Selection:
    known = ~np.isnan(losses[POOLED])
    means = {name: float(values[known].mean()) if known.any() else float("nan") for name, values in losses.items()}
    replicates: dict[str, list[float]] = {name: [] for name in losses}
    if len(losses) > 1 and known.any():
        for weights in bootstrap_weights(data.source_ids[known], options.seed):
            total = weights.sum()
            for name, values in losses.items():
                replicates[name].append(float(weights @ values[known] / total))
    return choose(what, figure, means, replicates, lower=True)


def _row_means(values: FloatArray) -> FloatArray:
    known = ~np.isnan(values)
    counts = known.sum(axis=1)
    sums = np.where(known, values, 0.0).sum(axis=1)
    means: FloatArray = np.divide(sums, counts, out=np.full(len(values), np.nan), where=counts > 0)
    return means
