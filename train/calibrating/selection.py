"""The choice between pooled values and values per language, from held-out figures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from train.calibrating.block import Choice, Selection

POOLED = "pooled"


def choose(
    what: str,
    figure: str,
    scores: Mapping[str, float],
    replicates: Mapping[str, list[float]],
    *,
    lower: bool,
    own: bool = False,
) -> Selection:
    """Choose the best, if it is better than pooled by more than one standard error of the difference.

    Breiman et al. (1984) take the simplest rule within one standard error of the best; of ours, pooled is the
    simplest.

    Args:
        what: What is chosen.
        figure: Name of the figure.
        scores: The figure of every choice, pooled first.
        replicates: The figure of every choice in bootstrap replicates, the same ones for all.
        lower: Whether lower is better.
        own: Whether values per language are wanted whatever they gain: then the best of them is taken, and of equal
            ones the last.
    """
    sign = -1.0 if lower else 1.0
    choices = []
    for name, score in scores.items():
        differences = sign * (np.array(replicates[name]) - np.array(replicates[POOLED]))
        known = differences[~np.isnan(differences)]
        error = float(known.std(ddof=1)) if len(known) > 1 else 0.0
        gain = sign * (score - scores[POOLED])
        choices.append(Choice(name=name, score=_finite(score), gain=_finite(gain), error=error))
    if own:
        chosen = max(reversed([choice for choice in choices if choice.name != POOLED]), key=lambda one: one.gain).name
    else:
        best = max(choices, key=lambda choice: choice.gain)
        chosen = best.name if best.gain > best.error else POOLED
    return Selection(what=what, figure=figure, chosen=chosen, choices=tuple(choices))


def _finite(value: float) -> float:
    return float(value) if np.isfinite(value) else 0.0
