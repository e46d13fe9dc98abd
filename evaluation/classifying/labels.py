"""What a classifier's labels say about our categories.

Probabilities are of presence, not of severity. So a level comes from thresholds on a probability, and, where a label
itself tells of severity (``severe_toxic``), from the lowest level that the label stands for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from babelguard.taxonomy import Category, Taxonomy, TaxonomyMapping

Activation = Literal["softmax", "sigmoid"]

Meaning: TypeAlias = Sequence[str] | Mapping[str, int]
"""Our categories that a label speaks for; in a mapping, with the lowest level that the label stands for."""

_UNNAMED = re.compile(r"LABEL_\d+")
DECISION = 0.5
"""The probability from which a label holds, unless a recipe sets thresholds."""


def model_labels(in_config: Sequence[str], said: Sequence[str] | None, model: str) -> tuple[str, ...]:
    """Return the labels of a model's outputs, in order.

    Args:
        in_config: As the model's configuration names them.
        said: As the recipe or preset names them, for models that only number theirs.
        model: The model's name, for messages.

    Raises:
        UserError: The two do not fit together.
    """
    if said is None:
        return tuple(in_config)
    if len(said) != len(in_config):
        raise UserError(
            f"The model {model} has {len(in_config)} outputs and label_names has {len(said)} names; "
            "this is not the model that the names are for."
        )
    if all(_UNNAMED.fullmatch(label) for label in in_config):
        return tuple(said)
    if set(said) != set(in_config):
        raise UserError(
            f"The model {model} names its labels {', '.join(in_config)}, not {', '.join(said)}; "
            "set label_names to null and labels for the names of the model."
        )
    return tuple(in_config)


@dataclass(frozen=True)
class LabelMap:
    """Carries a model's probabilities into levels of our categories.

    Attributes:
        labels: The model's labels, in the order of its outputs.
        activation: ``softmax`` where exactly one label holds, ``sigmoid`` where any number can.
        speakers: Our category -> positions of the labels that speak for it.
        lowest: Our category -> for each of these labels, the lowest level that it stands for.
        thresholds: Our category -> probabilities from which level 2, 3, ... is given, ascending.
    """

    labels: tuple[str, ...]
    activation: Activation
    speakers: Mapping[str, tuple[int, ...]]
    lowest: Mapping[str, tuple[int, ...]]
    thresholds: Mapping[str, tuple[float, ...]]

    def probability(self, category: str, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability that a category is above level 1, for each row of label probabilities.

        Labels that exclude one another add up; of labels that do not, the likeliest counts.
        """
        columns = probabilities[:, list(self.speakers[category])]
        together = columns.sum(axis=1) if self.activation == "softmax" else columns.max(axis=1)
        return np.asarray(np.clip(together, 0.0, 1.0))

    def level(self, category: str, probability: float, probabilities: Sequence[float]) -> int:
        """Return a category's level.

        Args:
            category: The category.
            probability: The category's probability.
            probabilities: The labels' probabilities, in the order of the outputs.
        """
        thresholds = self.thresholds[category]
        level = 1 + bisect_right(thresholds, probability)
        for position, lowest in zip(self.speakers[category], self.lowest[category], strict=True):
            if probabilities[position] >= thresholds[0]:
                level = max(level, lowest)
        return level


def make_label_map(
    labels: Sequence[str],
    meanings: Mapping[str, Meaning],
    activation: Activation,
    thresholds: Mapping[str, Sequence[float]],
    taxonomy: Taxonomy,
    model: str,
) -> LabelMap:
    """Check a mapping against the model and the taxonomy.

    Args:
        labels: The model's labels, in order.
        meanings: Label -> what it means; nothing for labels that speak for none of our categories.
        activation: How the model's outputs become probabilities.
        thresholds: Category -> thresholds of its levels; `default_thresholds` for the others.
        taxonomy: Our categories.
        model: The model's name, for messages.

    Raises:
        UserError: A label of the model is not mapped, a mapped label is not the model's, no label means anything, or
            a category, level or threshold is not the taxonomy's.
    """
    table = {label: _levels(meaning) for label, meaning in meanings.items()}
    mapping = TaxonomyMapping(model, taxonomy, {label: tuple(levels) for label, levels in table.items()})
    if unmapped := [label for label in labels if label not in table]:
        raise UserError(
            f"The model {model} has the label {unmapped[0]!r}, which 'labels' does not map; map each of "
            f"{', '.join(labels)}, to [] where it speaks for none of the taxonomy's categories."
        )
    if strange := sorted(set(table) - set(labels)):
        raise UserError(
            f"The model {model} has no label {strange[0]!r}; its labels are {', '.join(labels)}. "
            "Either the mapping or the model is not the one that is meant."
        )
    covered = [category for category in taxonomy if category.name not in mapping.not_covered]
    if not covered:
        raise UserError(f"No label of the model {model} speaks for a category; complete labels.")
    for category in covered:
        for label, levels in table.items():
            if not 2 <= levels.get(category.name, 2) <= category.scale:
                raise UserError(
                    f"labels.{label}: {levels[category.name]} is no level of {category.name} above 1; its scale ends "
                    f"at {category.scale}."
                )
    if unused := sorted(set(thresholds) - {category.name for category in covered}):
        raise UserError(f"There are thresholds for {unused[0]}, which no label of {model} speaks for; leave them out.")
    speakers = {c.name: tuple(n for n, label in enumerate(labels) if c.name in table[label]) for c in covered}
    return LabelMap(
        labels=tuple(labels),
        activation=activation,
        speakers=speakers,
        lowest={name: tuple(table[labels[n]][name] for n in numbers) for name, numbers in speakers.items()},
        thresholds={c.name: _checked(c, thresholds.get(c.name)) for c in covered},
    )


def default_thresholds(category: Category) -> tuple[float, ...]:
    """Return the thresholds of a category's levels 2, 3, ...: from `DECISION` to 1 in equal steps.

    On a scale of three: 0.5 and 0.75. On a scale of five: 0.5, 0.625, 0.75 and 0.875.
    """
    steps = category.scale - 1
    return tuple(DECISION + (1 - DECISION) * step / steps for step in range(steps))


def _levels(meaning: Meaning) -> dict[str, int]:
    if isinstance(meaning, Mapping):
        return dict(meaning)
    return dict.fromkeys(meaning, 2)


def _checked(category: Category, thresholds: Sequence[float] | None) -> tuple[float, ...]:
    if thresholds is None:
        return default_thresholds(category)
    wanted = category.scale - 1
    ascending = all(first < second for first, second in pairwise(thresholds))
    if len(thresholds) != wanted or not ascending or not all(0.0 < value <= 1.0 for value in thresholds):
        raise UserError(
            f"thresholds.{category.name} must be {wanted} ascending probabilities above 0, one a level from 2 to "
            f"{category.scale}; found {list(thresholds)}."
        )
    return tuple(thresholds)
