"""Constrained scoring: the answer's skeleton is forced, and only the levels are the judge's to choose.

Category after category, each conditioned on the levels already chosen. There is nothing to parse: whatever an item
says, what is read are probabilities of level digits at places that the skeleton fixes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

from babelguard.local_models.choosing import Choice, ChoiceLine
from babelguard.rating import Score
from babelguard.taxonomy import Taxonomy


def answer_lines(taxonomy: Taxonomy, labels: Mapping[str, str]) -> tuple[ChoiceLine, ...]:
    """Return the skeleton of an answer: a line a category, whose choices are the levels of its scale."""
    return tuple(
        ChoiceLine(
            label=f"{labels[category.name]}:" if number == 0 else f"\n{labels[category.name]}:",
            choices=tuple(f" {level}" for level in range(1, category.scale + 1)),
        )
        for number, category in enumerate(taxonomy)
    )


def scores_of(choices: Sequence[Choice], taxonomy: Taxonomy) -> dict[str, Score]:
    """Return each category's likeliest level, and the probability that it is above 1."""
    scores = {}
    for category, choice in zip(taxonomy, choices, strict=True):
        above = math.fsum(math.exp(value) for value in choice.log_probabilities[1:])
        scores[category.name] = Score(choice.index + 1, probability=round(min(1.0, above), 6))
    return scores


def record_of(choices: Sequence[Choice], taxonomy: Taxonomy) -> str:
    """Return what was read, as JSON: for every category the probability of each level, and the expected level."""
    cells = {}
    for category, choice in zip(taxonomy, choices, strict=True):
        chances = [math.exp(value) for value in choice.log_probabilities]
        expectation = math.fsum(level * chance for level, chance in enumerate(chances, start=1))
        cells[category.name] = {"p": [round(chance, 6) for chance in chances], "expected": round(expectation, 4)}
    return json.dumps({"scored": cells}, separators=(",", ":"))
