"""From logits to calibrated probabilities, levels and flags, with a language's own values where the guard has them.

Every column is calibrated alone: by a sigmoid with slope and intercept (Platt, 1999, "Probabilistic outputs for
support vector machines"; temperature scaling of Guo et al., ICML 2017, is a slope of 1/T), or by a rising line
(isotonic regression, Zadrozny and Elkan, KDD 2002). P(level > k) cannot be above P(level > k - 1), so each category's
probabilities are then made non-increasing by a running minimum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from babelguard.languages import language as language_of_code
from babelguard.languages import wider_language
from serve.bundle import CalibrationColumns, GuardManifest, IsotonicColumn, PlattColumn

Logits = NDArray[np.floating]
Probabilities = NDArray[np.float64]

_LONGEST_CODE = 35
"""Letters of a language code; RFC 5646 asks nobody to keep more."""


def sigmoid(logits: Logits) -> Probabilities:
    """Return 1 / (1 + exp(-logits)) without overflow, elementwise."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * np.asarray(logits, dtype=np.float64))))


def calibrate_column(logits: Logits, column: PlattColumn | IsotonicColumn | None) -> Probabilities:
    """Return the calibrated probabilities of one column's logits; the sigmoid where `column` is `None`."""
    if column is None:
        return sigmoid(logits)
    if isinstance(column, PlattColumn):
        return sigmoid(column.slope * np.asarray(logits, dtype=np.float64) + column.intercept)
    return np.asarray(np.interp(np.asarray(logits, dtype=np.float64), column.x, column.y))


def non_increasing(probabilities: Probabilities, categories: Mapping[str, slice]) -> Probabilities:
    """Return the probabilities with a running minimum along each category's columns (last axis)."""
    result = np.array(probabilities, dtype=np.float64)
    for columns in categories.values():
        np.minimum.accumulate(result[..., columns], axis=-1, out=result[..., columns])
    return result


def levels_of(
    probabilities: Probabilities, thresholds: Probabilities, categories: Mapping[str, slice]
) -> NDArray[np.int64]:
    """Return 1 + the number of leading columns at or above their threshold, for every category.

    Args:
        probabilities: [..., columns], calibrated.
        thresholds: [columns].
        categories: Category -> its columns.

    Returns:
        [..., categories].
    """
    above = (probabilities >= thresholds).astype(np.int64)
    counts = [1 + np.cumprod(above[..., columns], axis=-1).sum(axis=-1) for columns in categories.values()]
    return np.stack(counts, axis=-1)


@dataclass(frozen=True, slots=True)
class Decisions:
    """What follows from some texts' logits.

    Attributes:
        probabilities: [texts, columns], calibrated, non-increasing within a category.
        levels: [texts, categories], from 1.
        flagged: [texts, categories].
    """

    probabilities: Probabilities
    levels: NDArray[np.int64]
    flagged: NDArray[np.bool_]


@dataclass(frozen=True)
class _Rules:
    slopes: Probabilities
    intercepts: Probabilities
    isotonic: tuple[tuple[int, IsotonicColumn], ...]
    level_thresholds: Probabilities
    flag_columns: NDArray[np.int64]
    flag_thresholds: Probabilities


class Calibrator:
    """Applies a guard's calibration and thresholds.

    A language has its own values where `guard.json` gives them, category by category; all else is pooled.
    """

    def __init__(self, manifest: GuardManifest) -> None:
        self._manifest = manifest
        self._columns = manifest.category_columns
        thresholds = manifest.thresholds
        self._own = {
            *manifest.calibration.languages,
            *thresholds.levels.languages,
            *thresholds.flags.languages,
        }
        self._known = {*manifest.languages, *self._own}
        self._by_folded = {_fold(tag): tag for tag in self._known}
        self._rules: dict[str | None, _Rules] = {tag: self._make_rules(tag) for tag in (None, *sorted(self._own))}
        self._resolve = lru_cache(maxsize=4096)(self._look_up)

    def resolve(self, language: str | None) -> str | None:
        """Return the guard's tag for a language code in any system and letter case; `None` where it knows none."""
        return None if language is None or len(language) > _LONGEST_CODE else self._resolve(language)

    def is_pooled(self, language: str | None) -> bool:
        """Tell whether nothing of a language's calibration and thresholds is its own."""
        return self.resolve(language) not in self._own

    def decide(self, logits: Logits, language: str | None = None) -> Decisions:
        """Return the decisions for texts in one language.

        Args:
            logits: [texts, columns].
            language: Code of the texts' language, in any system; pooled values if `None` or unknown.

        Raises:
            ValueError: A logit is not a number; no decision follows from it.
        """
        logits = np.asarray(logits, dtype=np.float64)
        if np.isnan(logits).any():
            raise ValueError("the guard's model gave a logit that is not a number; try another precision")
        tag = self.resolve(language)
        rules = self._rules[tag if tag in self._own else None]
        calibrated = sigmoid(rules.slopes * logits + rules.intercepts)
        for number, column in rules.isotonic:
            calibrated[:, number] = calibrate_column(logits[:, number], column)
        probabilities = non_increasing(calibrated, self._columns)
        return Decisions(
            probabilities=probabilities,
            levels=levels_of(probabilities, rules.level_thresholds, self._columns),
            flagged=probabilities[:, rules.flag_columns] >= rules.flag_thresholds,
        )

    def flag_thresholds(self, language: str | None = None) -> dict[str, float]:
        """Return the calibrated probability from which each category is flagged in a language."""
        tag = self.resolve(language)
        rules = self._rules[tag if tag in self._own else None]
        return dict(zip(self._columns, map(float, rules.flag_thresholds), strict=True))

    def _make_rules(self, tag: str | None) -> _Rules:
        calibration, thresholds = self._manifest.calibration, self._manifest.thresholds
        columns: CalibrationColumns = {**calibration.pooled, **calibration.languages.get(tag or "", {})}
        levels = {**thresholds.levels.pooled, **thresholds.levels.languages.get(tag or "", {})}
        flags = {**thresholds.flags.pooled, **thresholds.flags.languages.get(tag or "", {})}
        names = self._manifest.category_names
        widths = {name: place.stop - place.start for name, place in self._columns.items()}
        by_column = [c for name in names for c in columns.get(name, (None,) * widths[name])]
        platt = [c if isinstance(c, PlattColumn) else PlattColumn(slope=1.0) for c in by_column]
        return _Rules(
            slopes=np.array([c.slope for c in platt], dtype=np.float64),
            intercepts=np.array([c.intercept for c in platt], dtype=np.float64),
            isotonic=tuple((n, c) for n, c in enumerate(by_column) if isinstance(c, IsotonicColumn)),
            level_thresholds=np.array([t for name in names for t in levels[name]], dtype=np.float64),
            flag_columns=np.array(
                [self._columns[name].start + thresholds.flags.above[name] - 1 for name in names], dtype=np.int64
            ),
            flag_thresholds=np.array([flags[name] for name in names], dtype=np.float64),
        )

    def _look_up(self, code: str) -> str | None:
        if (tag := self._by_folded.get(_fold(code))) is not None:
            return tag
        try:
            tag = language_of_code(code).tag
        except UserError:
            return None
        # A region's variety that this guard does not know by itself is the language: de for de-CH.
        known = (self._by_folded.get(_fold(each)) for each in (tag, wider_language(tag)) if each is not None)
        return next((each for each in known if each is not None), None)


def _fold(code: str) -> str:
    return code.strip().replace("_", "-").casefold()
