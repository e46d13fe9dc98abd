"""The one level that stands for several annotators, with the rule that made it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from babelguard.errors import UserError

SINGLE = "single"
MAJORITY = "majority"
MEAN = "mean"


@dataclass(frozen=True, slots=True)
class AggregatedLabel:
    """One level and how it came about.

    Attributes:
        level: The level, from 1.
        rule: ``single`` (one annotator), ``majority`` (the one most frequent level), ``mean`` (no such level: the
            rounded mean), or what the source says of a label that it publishes itself (``gold``, ``published``,
            ``vote``, ...).
    """

    level: int
    rule: str


def aggregate(levels: Iterable[int | None]) -> AggregatedLabel | None:
    """Return the most frequent level, or the rounded mean where several are equally frequent.

    This is the rule of `evaluation.metrics.consensus`: the mean of (1, 2, 4) gives 2, and x.5, which only an even
    number of annotators can give, goes to the even level.

    Args:
        levels: One level an annotator; `None` where an annotator gave none.

    Returns:
        The label, or `None` where nobody gave a level: a missing label is never guessed.
    """
    return _aggregate(tuple(levels))


@lru_cache(maxsize=1 << 16)
def _aggregate(levels: tuple[int | None, ...]) -> AggregatedLabel | None:
    """Keep the answers: a corpus of a million items has few hundred different rows of levels."""
    given = [level for level in levels if level is not None]
    if not given:
        return None
    if len(given) == 1:
        return AggregatedLabel(given[0], SINGLE)
    (level, count), *others = Counter(given).most_common()
    if not others or count > others[0][1]:
        return AggregatedLabel(level, MAJORITY)
    return AggregatedLabel(round(sum(given) / len(given)), MEAN)


def read_aggregated(records: object) -> dict[str, AggregatedLabel]:
    """Read category -> ``{"level": ..., "rule": ...}``.

    Raises:
        UserError: It has another shape.
    """
    if not isinstance(records, Mapping):
        raise UserError(f"'aggregated' must map categories to a level and its rule, found {records!r:.60}")
    return {str(category): _one(category, record) for category, record in records.items()}


def _one(category: object, record: Any) -> AggregatedLabel:  # noqa: ANN401 - any JSON value
    if isinstance(record, AggregatedLabel):
        return record
    level = record.get("level") if isinstance(record, Mapping) else None
    rule = record.get("rule") if isinstance(record, Mapping) else None
    if isinstance(level, bool) or not isinstance(level, int) or not isinstance(rule, str):
        raise UserError(
            f"the aggregated label of {category!r} needs a whole 'level' and a 'rule', found {record!r:.60}"
        )
    return AggregatedLabel(level, rule)
