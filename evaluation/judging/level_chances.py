"""Probabilities of levels in a written answer, where the service gives the likeliest tokens of each place."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from babelguard.rating import Score
from babelguard.taxonomy import Taxonomy


def with_chances(
    scores: Mapping[str, Score],
    tokens: Sequence[Mapping[str, float]],
    taxonomy: Taxonomy,
    labels: Mapping[str, str],
    opening: str = "",
) -> dict[str, Score]:
    """Return the scores with the probability that the level is above 1, among the levels that the service lists.

    Only a level that stands plainly behind its label, as the rubric wants it, gets one.

    Args:
        scores: What was parsed.
        tokens: For each token of the answer the likeliest ones with their natural-log probabilities, the written one
            first; as in `Generation.top_logprobs`.
        taxonomy: The categories.
        labels: Category -> its name in answers.
        opening: The label that the prompt gave away.
    """
    starts, text = [], opening
    for places in tokens:
        starts.append(len(text))
        text += next(iter(places), "")
    rated = dict(scores)
    for category in taxonomy:
        score = scores[category.name]
        found = re.search(rf"^{re.escape(labels[category.name])}:\s*(\d+)\s*$", text, re.MULTILINE)
        if found is None or score.level is None or int(found[1]) != score.level:
            continue
        number = max(n for n, start in enumerate(starts) if start <= found.start(1))
        chances = _chances(tokens[number], category.scale)
        if chances.get(score.level):
            above = math.fsum(chance for level, chance in chances.items() if level > 1)
            rated[category.name] = replace(score, probability=round(above / math.fsum(chances.values()), 6))
    return rated


def _chances(places: Mapping[str, float], scale: int) -> dict[int, float]:
    """Return level -> probability of the tokens that are a level, with or without a space."""
    chances: dict[int, float] = {}
    for token, logarithm in places.items():
        written = token.strip()
        if written.isascii() and written.isdecimal() and 1 <= int(written) <= scale:
            chances[int(written)] = chances.get(int(written), 0.0) + math.exp(logarithm)
    return chances
