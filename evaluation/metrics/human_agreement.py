"""How well people agree with one another: the yardstick, and the ceiling, for a rater's agreement with them."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evaluation.metrics.by_name import confusion_metric
from evaluation.metrics.confusion import ConfusionMetric, confusion_matrix
from evaluation.metrics.consensus import Half, consensus
from evaluation.metrics.levels import FloatArray, IntArray, Ratings, as_table
from evaluation.metrics.macro import Undefined, macro_mean


@dataclass(frozen=True, eq=False)
class HumanAgreement:
    """A metric of several comparisons among humans.

    Attributes:
        who: The humans compared: (i, j) for a pair, (i,) for human i against the others.
        values: The metric of each comparison, NaN where undefined.
        n: The number of items of each comparison.
        mean: The unweighted mean of the values.
    """

    who: tuple[tuple[int, ...], ...]
    values: FloatArray
    n: IntArray
    mean: float


def human_pairs(
    humans: Ratings, metric: str | ConfusionMetric, *, levels: int, undefined: Undefined = "propagate"
) -> HumanAgreement:
    """Returns a metric of every pair of humans, and its mean.

    The later human of a pair is the rater and the earlier one the reference; symmetric metrics (agreement,
    kappa, AC, alpha, rank correlations, F1) do not depend on it.

    Args:
        humans: Shape (humans, items), with missing values; each pair uses the items that both rated.
        metric: A name from `CONFUSION_METRICS`, or a function of confusion matrices.
        levels: K, the number of levels.
        undefined: What an undefined pair does to the mean, see `macro_mean`.

    Raises:
        ValueError: If there are fewer than two humans, a value is off the scale or the metric is unknown.
    """
    table = as_table(humans, levels)
    who = tuple(combinations(range(len(table)), 2))
    if not who:
        raise ValueError(f"Pairs take the ratings of two or more humans, not of {len(table)}.")
    confusions = [confusion_matrix(table[j], table[i], levels=levels) for i, j in who]
    return _agreement(who, confusions, metric, undefined)


def leave_one_out_references(humans: Ratings, *, levels: int, half: Half = "up") -> IntArray:
    """Returns, for each human, the `consensus` of the others.

    The others' most frequent level if there is one such, else their rounded mean. Of three humans two remain:
    where they agree, their level; where not, their mean. Two levels one step apart have a mean of x.5, which
    is rounded up here: rounding to even would turn every such disagreement on a scale of three into level 2.

    Returns:
        Levels and `MISSING`, shape (humans, items). Compare a judge with the same references to compare it with
        `leave_one_out`.

    Raises:
        ValueError: If there are fewer than two humans or a value is off the scale.
    """
    table = as_table(humans, levels)
    if len(table) < 2:
        raise ValueError(f"Leaving one out takes the ratings of two or more humans, not of {len(table)}.")
    others = [consensus(np.delete(table, human, axis=0), levels=levels, half=half) for human in range(len(table))]
    return np.stack(others)


def leave_one_out(
    humans: Ratings,
    metric: str | ConfusionMetric,
    *,
    levels: int,
    half: Half = "up",
    undefined: Undefined = "propagate",
) -> HumanAgreement:
    """Returns a metric of each human against the consensus of the others, and its mean: a human as judge.

    It is a ceiling for a judge that is compared with the same references. Against the consensus of all three,
    a judge's figure is not comparable: that reference is less noisy than one made of two.

    Args:
        humans: Shape (humans, items), with missing values.
        metric: A name from `CONFUSION_METRICS`, or a function of confusion matrices.
        levels: K, the number of levels.
        half: How a mean of x.5 is rounded, see `leave_one_out_references`.
        undefined: What an undefined comparison does to the mean, see `macro_mean`.

    Raises:
        ValueError: If there are fewer than two humans, a value is off the scale or the metric is unknown.
    """
    table = as_table(humans, levels)
    references = leave_one_out_references(table, levels=levels, half=half)
    pairs = zip(table, references, strict=True)
    confusions = [confusion_matrix(human, reference, levels=levels) for human, reference in pairs]
    return _agreement(tuple((human,) for human in range(len(table))), confusions, metric, undefined)


def _agreement(
    who: tuple[tuple[int, ...], ...],
    confusions: list[IntArray],
    metric: str | ConfusionMetric,
    undefined: Undefined,
) -> HumanAgreement:
    stack = np.stack(confusions)
    values = confusion_metric(metric)(stack)
    return HumanAgreement(who, values, stack.sum(axis=(1, 2)), float(macro_mean(values, undefined=undefined)))
