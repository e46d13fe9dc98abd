"""Rating: what one rater says about one item, and why where it says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """Whether a category has a level and, if not, why."""

    OK = "ok"
    UNPARSED = "unparsed"
    """The rater answered, but not with a level for this category."""
    OUT_OF_RANGE = "out-of-range"
    """A number off the category's scale."""
    AMBIGUOUS = "ambiguous"
    """More than one level, or one between two levels."""
    NOT_APPLICABLE = "not-applicable"
    """The rater said that the category does not apply."""
    REFUSED = "refused"
    """The rater declined to answer."""
    BLOCKED = "blocked"
    """A filter in front of the rater stopped the request."""
    TRUNCATED = "truncated"
    """The answer ended before the category."""
    ERROR = "error"
    """The rater failed."""
    NOT_COVERED = "not-covered"
    """The rater does not know the category. This is never level 1."""
    VOID = "void"
    """The rater was shown something other than the item."""


@dataclass(frozen=True, slots=True)
class Score:
    """One category of a rating: a level with status `ok`, or no level and the reason.

    Attributes:
        level: Level on the category's ordinal scale, from 1; `None` unless the status is `ok`.
        status: See `Status`.
        probability: Probability (0-1) that the level is above 1, or the rater's own score that stands for it.
        detail: What was found instead of a level, in a few words.
    """

    level: int | None
    status: Status = Status.OK
    probability: float | None = None
    detail: str | None = None

    def __post_init__(self) -> None:
        if (self.level is None) == (self.status is Status.OK):
            raise ValueError(f"a score has a level exactly when its status is ok, not {self.level} and {self.status}")

    @classmethod
    def missing(cls, status: Status, detail: str | None = None) -> Score:
        """Return a score without a level and with its reason."""
        return cls(level=None, status=status, detail=detail)


@dataclass(frozen=True, slots=True)
class Rating:
    """What one rater says about one item.

    Attributes:
        rater: Name of the rater.
        item: Id of the item.
        scores: Category -> score, for every category of the taxonomy.
        raw: The rater's answer as it came, where there is one.
    """

    rater: str
    item: str
    scores: Mapping[str, Score]
    raw: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the rater failed in any category, so that the item is worth asking about again."""
        return any(score.status is Status.ERROR for score in self.scores.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the rating as plain JSON values: a bare level or status where there is no more to say."""
        scores: dict[str, Any] = {}
        for category, score in self.scores.items():
            if score.probability is None and score.detail is None:
                scores[category] = score.status.value if score.level is None else score.level
                continue
            cell: dict[str, Any] = {"level": score.level, "status": score.status.value}
            if score.probability is not None:
                cell["probability"] = score.probability
            if score.detail is not None:
                cell["detail"] = score.detail
            scores[category] = cell
        record: dict[str, Any] = {"rater": self.rater, "item": self.item, "scores": scores}
        if self.raw is not None:
            record["raw"] = self.raw
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Rating:
        """Build a rating from `to_dict`'s record.

        Raises:
            KeyError, ValueError, TypeError: The record is not one that `to_dict` wrote.
        """
        scores = {}
        for category, cell in record["scores"].items():
            if isinstance(cell, str):
                scores[category] = Score.missing(Status(cell))
            elif isinstance(cell, Mapping):
                level, probability = cell["level"], cell.get("probability")
                if not isinstance(probability, float | int | None) or not 0 <= (probability or 0) <= 1:
                    raise ValueError(f"the probability {probability!r:.20} of {category} is not between 0 and 1")
                scores[category] = Score(_level(level), Status(cell["status"]), probability, cell.get("detail"))
            else:
                scores[category] = Score(_level(cell))
        return cls(rater=record["rater"], item=record["item"], scores=scores, raw=record.get("raw"))


def _level(value: object) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise ValueError(f"{value!r:.20} is not a level")
    return value
