"""Level thresholds: pooled ones that maximise kappa, and a language's own where cross-validation shows a gain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.cohen_kappa import cohen_kappa_from_confusion
from serve.bundle import LevelThresholds
from train.calibrating.data import CalibrationData, FloatArray
from train.calibrating.enough import items_needed
from train.calibrating.kappa_search import best_thresholds, levels_at
from train.calibrating.language_shift import log_odds
from train.calibrating.options import LevelOptions
from train.calibrating.share_matching import share_thresholds, threshold_for

UNKNOWN = 0.5
"""Threshold of a column about which the calibration split says nothing."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way of having level thresholds per language.

    Attributes:
        by: ``pooled``: the same for all; ``shares``: `share_thresholds`; ``kappa``: the language's own search, shrunk
            towards the pooled thresholds on the scale of log-odds with the weight m / (m + k), where m is the smaller
            of the numbers of items above and not above the column's level.
        k: Weight of the pooled thresholds, in items.
    """

    by: Literal["pooled", "shares", "kappa"]
    k: float = 0.0

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.by if self.by == "pooled" else f"{self.by}, k = {self.k:g}"


def strategies(options: LevelOptions) -> list[Strategy]:
    """Return what is tried: pooled first."""
    tried = [Strategy("pooled")]
    rules: tuple[Literal["shares", "kappa"], ...] = ("shares", "kappa")
    asked = [by for by in rules if options.rule in (by, "cross-validated")]
    tried += [Strategy(by, k) for by in asked for k in options.shrinkage]
    return tried


def languages_with_enough(data: CalibrationData, options: LevelOptions) -> dict[str, int]:
    """Return the languages that may have their own thresholds, with their labelled items."""
    needed = items_needed(0.5, options.max_interval)
    labelled = ~np.isnan(data.graded).all(axis=1)
    counts = {tag: int((labelled & (data.languages == tag)).sum()) for tag in data.tags}
    return {tag: n for tag, n in counts.items() if n >= needed}


def fit_levels(
    probabilities: FloatArray, data: CalibrationData, options: LevelOptions, tried: Sequence[Strategy]
) -> dict[Strategy, LevelThresholds]:
    """Fit the thresholds of several strategies.

    Args:
        probabilities: [items, columns], calibrated.
        data: The items.
        options: The options.
        tried: The strategies.
    """
    pooled = {name: _pooled(probabilities, data, name, options) for name in data.slices}
    tags = languages_with_enough(data, options)
    searched: dict[tuple[str, str], FloatArray] = {}
    found = {}
    for strategy in tried:
        own: dict[str, dict[str, tuple[float, ...]]] = {}
        for tag in tags if strategy.by != "pooled" else ():
            for place, (name, columns) in enumerate(data.slices.items()):
                rows = (data.languages == tag) & ~np.isnan(data.graded[:, place])
                if not rows.any() or not _tells(data.graded[:, place]):
                    continue
                scores, levels = probabilities[rows, columns], data.graded[rows, place].astype(np.int64)
                if strategy.by == "shares":
                    values = share_thresholds(scores, levels, pooled[name], strategy.k)
                else:
                    if (tag, name) not in searched:
                        searched[tag, name] = best_thresholds(scores, levels, pooled[name], options.candidates)
                    values = _towards(searched[tag, name], pooled[name], levels, strategy.k)
                own.setdefault(tag, {})[name] = _tuple(values)
        found[strategy] = LevelThresholds(
            pooled={name: _tuple(values) for name, values in pooled.items()}, languages=own
        )
    return found


def apply_levels(probabilities: FloatArray, data: CalibrationData, thresholds: LevelThresholds) -> NDArray[np.int64]:
    """Return levels, [items, categories]."""
    found = np.empty((len(data.languages), len(data.categories)), dtype=np.int64)
    for tag in data.tags:
        rows = data.languages == tag
        values: Mapping[str, tuple[float, ...]] = {**thresholds.pooled, **thresholds.languages.get(tag, {})}
        for place, (name, columns) in enumerate(data.slices.items()):
            found[rows, place] = levels_at(probabilities[rows, columns], np.array(values[name]))
    return found


def mean_kappa(levels: NDArray[np.int64], data: CalibrationData, weights: FloatArray | None = None) -> float:
    """Return the mean over languages and categories of linear-weighted kappa with people's levels.

    Over the items that thresholds are fitted on, and of the cells in which people gave at least two different levels:
    elsewhere kappa is undefined, or 0 whatever a
    guard says. NaN where there is no such cell.

    Args:
        levels: [items, categories].
        data: The items.
        weights: [items], how often each counts; once if `None`.
    """
    kappas = []
    places = np.searchsorted(np.array(data.tags), data.languages)
    for place, category in enumerate(data.categories):
        scale, truth = category.scale, data.graded[:, place]
        known = ~np.isnan(truth)
        code = places[known] * scale * scale + (truth[known].astype(np.int64) - 1) * scale + levels[known, place] - 1
        counts = np.bincount(
            code, weights=None if weights is None else weights[known], minlength=len(data.tags) * scale * scale
        )
        confusions = counts.reshape(-1, scale, scale).astype(np.float64)
        varied = (confusions.sum(axis=2) > 0).sum(axis=1) > 1
        kappas.append(cohen_kappa_from_confusion(confusions[varied], weights="linear"))
    values = np.concatenate(kappas)
    return float(values.mean()) if len(values) else float("nan")


def _pooled(probabilities: FloatArray, data: CalibrationData, name: str, options: LevelOptions) -> FloatArray:
    place, columns = list(data.slices).index(name), data.slices[name]
    rows = ~np.isnan(data.graded[:, place])
    if not _tells(data.graded[:, place]):
        return np.full(columns.stop - columns.start, UNKNOWN)
    scores, levels = probabilities[rows, columns], data.graded[rows, place].astype(np.int64)
    start = [threshold_for(scores[:, c], int((levels > c + 1).sum())) for c in range(scores.shape[1])]
    return best_thresholds(scores, levels, np.array(start), options.candidates)


def _tells(levels: FloatArray) -> bool:
    """Tell whether people gave at least two different levels."""
    return len(np.unique(levels[~np.isnan(levels)])) > 1


def _towards(own: FloatArray, pooled: FloatArray, levels: NDArray[np.int64], k: float) -> FloatArray:
    above = (levels[:, None] > np.arange(1, len(own) + 1)).sum(axis=0)
    telling = np.minimum(above, len(levels) - above)
    weight = np.divide(telling, telling + k, out=np.zeros(len(own)), where=telling > 0)
    odds = weight * log_odds(own) + (1 - weight) * log_odds(pooled)
    return np.asarray(1 / (1 + np.exp(-odds)))


def _tuple(values: FloatArray) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
