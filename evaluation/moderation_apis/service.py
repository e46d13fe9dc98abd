"""What a moderation service is to the rater that asks it: requests for texts, readings from answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from babelguard.endpoint.client import Request


@dataclass(frozen=True, slots=True)
class Reading:
    """What a service says about one of its labels.

    Attributes:
        score: Between 0 and 1; a severity as its share of the highest severity.
        shown: The number as the service gave it.
        flagged: Whether the service itself flags the label.
    """

    score: float
    shown: int | float
    flagged: bool = False


class ModerationService(Protocol):
    """One service: how it is asked and how its answers are read."""

    @property
    def title(self) -> str:
        """Its name for people."""
        ...

    @property
    def longest(self) -> int:
        """The longest text that one request may hold."""
        ...

    @property
    def longest_in_bytes(self) -> bool:
        """Whether `longest` counts bytes of UTF-8 rather than characters."""
        ...

    @property
    def scores_are_probabilities(self) -> bool:
        """Whether its scores are probabilities, or a model's confidence, rather than severities."""
        ...

    @property
    def trained_languages(self) -> tuple[str, ...]:
        """The languages (base subtags) that its maker trained and tested it in, where it says so and takes others."""
        ...

    def labels_for(self, language: str) -> tuple[str, ...]:
        """Return the labels that it can be asked for in a language; none where it does not take the language."""
        ...

    def request(self, text: str, language: str, labels: Sequence[str]) -> Request:
        """Return the request for one text."""
        ...

    def read(self, body: Mapping[str, Any]) -> Mapping[str, Reading]:
        """Return what an answer says, by label.

        Raises:
            ValueError, KeyError, TypeError: The answer has another shape.
        """
        ...


def number(value: object) -> float:
    """Return a JSON number.

    Raises:
        TypeError: It is something else.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"expected a number, found {type(value).__name__}")
    return float(value)
