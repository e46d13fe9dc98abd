"""Flag thresholds of a guard: pooled, and a language's own where cross-validation shows a gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from serve.bundle import FlagThresholds, LevelThresholds, OperatingPoint
from train.calibrating.data import CalibrationData, FloatArray
from train.calibrating.enough import CONFIDENCE, items_needed
from train.calibrating.flag_thresholds import BenignTails, upper_quantile
from train.calibrating.options import FlagOptions


@dataclass(frozen=True, slots=True)
class FlagStrategy:
    """One way of having flag thresholds per language.

    Attributes:
        k: A language's own quantile of the alarm weighs n / (n + k), with n its benign items; pooled only if `None`.
    """

    k: float | None = None

    @property
    def name(self) -> str:
        """Its name in tables."""
        return "pooled" if self.k is None else f"own, k = {self.k:g}"


def flag_strategies(options: FlagOptions) -> list[FlagStrategy]:
    """Return what is tried: pooled first."""
    tried = [FlagStrategy()]
    if options.per_language == "cross-validated":
        tried += [FlagStrategy(k) for k in options.shrinkage]
    return tried


def flag_columns(data: CalibrationData, options: FlagOptions) -> NDArray[np.int64]:
    """Return the column of each category that flags are decided by."""
    return np.array(
        [place.start + min(options.above, place.stop - place.start) - 1 for place in data.slices.values()],
        dtype=np.int64,
    )


def benign_tails(probabilities: FloatArray, data: CalibrationData) -> BenignTails:
    """Return the tails of the benign items' probabilities, [items, categories]."""
    return BenignTails.of(probabilities[data.benign])


def alarm_quantiles(
    alarms: FloatArray, data: CalibrationData, options: FlagOptions, strategy: FlagStrategy
) -> tuple[float, dict[str, float]]:
    """Return the alarm at the operating point: the pooled one, and those of languages with enough benign items.

    Args:
        alarms: [items].
        data: The items; at least one is benign.
        options: The options.
        strategy: How languages get their own.
    """
    share = options.target_false_positives
    pooled = upper_quantile(alarms[data.benign], share)
    if strategy.k is None:
        return pooled, {}
    own = {}
    for tag, n in enough_benign(data, options).items():
        weight = n / (n + strategy.k)
        value = upper_quantile(alarms[data.benign & (data.languages == tag)], share)
        own[tag] = weight * value + (1 - weight) * pooled
    return pooled, own


def enough_benign(data: CalibrationData, options: FlagOptions) -> dict[str, int]:
    """Return the languages that may have their own thresholds, with their benign items."""
    needed = items_needed(options.target_false_positives, options.max_interval)
    counts = {tag: int((data.benign & (data.languages == tag)).sum()) for tag in data.tags}
    return {tag: n for tag, n in counts.items() if n >= needed}


def fit_flags(
    probabilities: FloatArray,
    data: CalibrationData,
    options: FlagOptions,
    strategy: FlagStrategy,
    levels: LevelThresholds,
) -> FlagThresholds:
    """Fit the flag thresholds.

    Args:
        probabilities: [items, columns], calibrated.
        data: The items.
        options: The options.
        strategy: How languages get their own.
        levels: The level thresholds, which stand in where no item is benign.
    """
    names = list(data.slices)
    above = {name: min(options.above, columns.stop - columns.start) for name, columns in data.slices.items()}
    point = OperatingPoint(target_false_positives=options.target_false_positives, on="benign", rule=_rule(options))
    if not data.benign.any():
        reason = "the calibration split holds no benign item; flags follow the level thresholds"
        return FlagThresholds(
            operating_point=OperatingPoint(on="benign", rule=reason),
            above=above,
            pooled={name: levels.pooled[name][above[name] - 1] for name in names},
            fallbacks=dict.fromkeys(data.tags, reason),
        )
    scores = probabilities[:, flag_columns(data, options)]
    tails = benign_tails(scores, data)
    pooled, own = alarm_quantiles(tails.alarms(scores), data, options, strategy)
    return FlagThresholds(
        operating_point=point,
        above=above,
        pooled=dict(zip(names, tails.thresholds(pooled), strict=True)),
        languages={tag: dict(zip(names, tails.thresholds(value), strict=True)) for tag, value in own.items()},
        fallbacks={tag: _reason(data, tag, options, strategy) for tag in data.tags if tag not in own},
    )


def _rule(options: FlagOptions) -> str:
    needed = items_needed(options.target_false_positives, options.max_interval)
    return (
        f"At most {options.target_false_positives:.1%} of benign items flagged in any category, split evenly over the "
        f"categories; a language gets its own thresholds, shrunk towards the pooled ones, from {needed} benign items "
        f"(a {CONFIDENCE:.0%} interval of the rate at most {options.max_interval:g} wide) and where cross-validation "
        "by content shows a gain of more than one standard error."
    )


def _reason(data: CalibrationData, tag: str, options: FlagOptions, strategy: FlagStrategy) -> str:
    n = int((data.benign & (data.languages == tag)).sum())
    needed = items_needed(options.target_false_positives, options.max_interval)
    if n < needed:
        return f"{n} benign items, fewer than the {needed} that would tell"
    if options.per_language == "never":
        return "own thresholds were not asked for"
    return "own thresholds gained nothing in cross-validation" if strategy.k is None else "pooled"
