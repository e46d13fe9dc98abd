"""Does an exported model decide as the trained one does? Measured on the evaluation split, and bounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from serve.bundle import PrecisionCheck
from serve.calibration import Calibrator
from serve.windows import Encoded
from train.calibrating.data import CalibrationData
from train.calibrating.enough import exact_interval
from train.calibrating.level_thresholds import mean_kappa

Logits = NDArray[np.float32]


@dataclass(frozen=True)
class Decided:
    """What follows from logits.

    Attributes:
        logits: [items, columns]; the highest over each text's windows.
        levels: [items, categories].
        flagged: [items, categories].
    """

    logits: Logits
    levels: NDArray[np.int64]
    flagged: NDArray[np.bool_]

    def some(self, rows: slice) -> Decided:
        """Return the decisions of some items."""
        return Decided(self.logits[rows], self.levels[rows], self.flagged[rows])


def decide(logits: Logits, languages: Sequence[str], calibrator: Calibrator) -> Decided:
    """Return levels and flags for items' logits, by the code that serves."""
    tags = np.asarray(languages, dtype=np.str_)
    parts = {tag: calibrator.decide(logits[tags == tag], tag) for tag in sorted(set(tags.tolist()))}
    width = next(iter(parts.values())).levels.shape[1]
    levels = np.empty((len(tags), width), dtype=np.int64)
    flagged = np.empty((len(tags), width), dtype=np.bool_)
    for tag, decisions in parts.items():
        levels[tags == tag] = decisions.levels
        flagged[tags == tag] = decisions.flagged
    return Decided(logits, levels, flagged)


def highest(window_logits: Logits, texts: Sequence[Encoded]) -> Logits:
    """Return each text's highest logits over its windows, [texts, columns]; every text has a window."""
    starts = np.concatenate([[0], np.cumsum([len(text.windows) for text in texts])[:-1]])
    return np.asarray(np.maximum.reduceat(window_logits, starts, axis=0))


def flip_rates(before: Decided, after: Decided) -> tuple[float, float]:
    """Return the shares of levels and of flags that differ."""
    return float((before.levels != after.levels).mean()), float((before.flagged != after.flagged).mean())


def compare(before: Decided, after: Decided, data: CalibrationData) -> PrecisionCheck:
    """Compare a model's decisions with the trained model's.

    Args:
        before: The trained model's.
        after: The exported model's.
        data: The items, with people's levels for kappa.
    """
    levels, flags = flip_rates(before, after)
    by_language = {}
    for tag in data.tags:
        rows = data.languages == tag
        by_language[tag] = round(float((before.levels[rows] != after.levels[rows]).mean()), 6)
    items = float((before.levels != after.levels).any(axis=1).mean())
    return PrecisionCheck.model_validate(
        {
            "max_difference": float(np.abs(before.logits - after.logits).max()),
            "mean_difference": float(np.abs(before.logits - after.logits).mean()),
            "flips": levels,
            "flag_flips": flags,
            "items_with_a_flip": items,
            "flips_by_language": by_language,
            "kappa_before": _finite(mean_kappa(before.levels, data)),
            "kappa_after": _finite(mean_kappa(after.levels, data)),
            "items": len(data.languages),
        }
    )


def check_bound(what: str, before: Decided, after: Decided, data: CalibrationData, bound: float) -> None:
    """Refuse a model whose decisions flip too often: over all items, or in one language beyond doubt.

    In a language, the lower end of the 95% interval of its share (Clopper and Pearson 1934) must not be above the
    bound: a mean over languages hides the one in which int8 fails, and few items flip by chance.

    Raises:
        UserError: They do; the sentence gives the shares and the remedy.
    """
    levels, flags = flip_rates(before, after)
    option = f"export.bounds.{what}"
    for kind, share in (("levels", levels), ("flags", flags)):
        if share > bound:
            raise UserError(
                f"{what}: {share:.2%} of the {kind} differ from the trained model's on {len(before.levels):,} items, "
                f"more than {bound:.2%}; no bundle is written. {_remedy(what)}, or raise {option}."
            )
    for tag in data.tags:
        rows = data.languages == tag
        differ = before.levels[rows] != after.levels[rows]
        low, _ = exact_interval(int(differ.sum()), differ.size)
        if low > bound:
            raise UserError(
                f"{what}: in {tag} {differ.mean():.2%} of the levels differ from the trained model's, more than "
                f"{bound:.2%}; no bundle is written. {_remedy(what)}, or raise {option}."
            )


def told(check: PrecisionCheck) -> str:
    """Return a comparison in words."""
    extra = check.model_extra or {}
    kappas = ""
    if check.kappa_before is not None and check.kappa_after is not None:
        kappas = f", kappa {check.kappa_before:.4f} before and {check.kappa_after:.4f} after"
    return (
        f"{check.flips:.3%} of levels and {extra.get('flag_flips', 0.0):.3%} of flags flip, "
        f"logits differ by {check.max_difference:.2g} at most{kappas}."
    )


def _remedy(what: str) -> str:
    return {
        "int8": "Spare more matrices (export.int8.exclude; in fp32 with export.int8.spared: fp32), keep more outliers "
        "apart (export.int8.outliers), or take the scheme blockwise with smaller blocks (export.int8.block)",
        "vocabulary": "Keep more tokens (export.vocabulary)",
        "fp16": "Leave fp16 out of export.precisions",
    }.get(what, "Report it: fp32 should not differ")


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
