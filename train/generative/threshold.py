"""The probability of ``unsafe`` from which on a guard flags: an operating point on texts known to be harmless."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from babelguard.item import Item, Role
from babelguard.taxonomy import Taxonomy
from train.calibrating.enough import exact_interval
from train.generative.form import levels_of
from train.generative.options import AnswerRecipe
from train.generative.rating import RatedItems

DEFAULT = 0.5
_STEP = 1e-6


@dataclass(frozen=True)
class Threshold:
    """A threshold and how it came about.

    Attributes:
        value: Probability of ``unsafe`` (0-1).
        reason: A sentence for the card.
    """

    value: float
    reason: str


def choose_threshold(rated: RatedItems, answer: AnswerRecipe, categories: Taxonomy) -> Threshold:
    """Return the lowest threshold that flags at most the recipe's share of the harmless items of the calibration split.

    Harmless are benign completions where there are some, else items all of whose covered categories are below their
    level of the recipe. With n of them, at most k = floor(n x share) may be flagged, so the threshold lies just above
    the (k+1)-th highest probability. Where k would be 0, the split is too small to tell, and the threshold is 0.5.

    Args:
        rated: The calibration split, rated.
        answer: The format, with the share.
        categories: The taxonomy; its first category bears the verdict's probability.
    """
    overall = categories.names[0]
    benign = [item.role is Role.BENIGN_COMPLETION for item in rated.items]
    if not any(benign):
        benign = [_harmless(item, answer) for item in rated.items]
    chances = [
        score.probability
        for rating, harmless in zip(rated.ratings, benign, strict=True)
        if harmless and (score := rating.scores[overall]).probability is not None
    ]
    share = answer.target_false_positives
    allowed = math.floor(len(chances) * share)
    if not allowed:
        return Threshold(
            DEFAULT,
            f"{len(chances):,} harmless items of the calibration split are too few for a threshold at {share:.1%} "
            f"false positives ({math.ceil(1 / share):,} are needed); the threshold is {DEFAULT}.",
        )
    descending = np.sort(np.asarray(chances))[::-1]
    value = min(1.0, round(float(descending[allowed]) + _STEP, 6)) if allowed < len(descending) else 0.0
    flagged = int((descending >= value).sum())
    low, high = exact_interval(flagged, len(chances))
    return Threshold(
        value,
        f"The threshold {value:.6f} flags {flagged:,} of {len(chances):,} harmless items of the calibration split "
        f"({flagged / len(chances):.1%}; 95% interval {low:.1%} to {high:.1%}), where {share:.1%} are allowed.",
    )


def _harmless(item: Item, answer: AnswerRecipe) -> bool:
    levels = levels_of(item)
    return bool(levels) and all(level < answer.first_unsafe_level(name) for name, level in levels.items())
