"""What a format of answers is: how an item is asked about, what the right answer is, and which rater reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from babelguard.item import Item
from babelguard.local_models.local_model import LocalModel
from evaluation.rater import Rater

Levels: TypeAlias = Mapping[str, int]
"""Category -> level. A category that the item does not cover is absent: it is never level 1."""


class LeftOutError(Exception):
    """An item that nothing can be learnt from in this format; the message says why, without any of its text."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The prompt for one item.

    Attributes:
        ids: Its tokens.
        cut: Whether the item's text was too long and is shown without its end.
    """

    ids: tuple[int, ...]
    cut: bool


class Form(Protocol):
    """A format of answers, for one tokenizer and one taxonomy."""

    @property
    def longest_answer(self) -> int:
        """Tokens of the longest answer, its end included."""
        ...

    def ask(self, item: Item, covered: Sequence[str]) -> Asked:
        """Return the prompt for an item that covers some categories.

        Raises:
            LeftOutError: The item cannot be shown.
        """
        ...

    def answer(self, levels: Levels) -> tuple[int, ...]:
        """Return the tokens of the right answer, its end included.

        Raises:
            LeftOutError: The levels decide no answer.
        """
        ...

    def verdict(self, levels: Levels) -> str:
        """Return what the answer decides, by which it is seen whether there is anything to tell apart."""
        ...

    def rater(self, name: str, model: LocalModel) -> Rater:
        """Return the rater that reads such answers of a model in memory, as an exported guard is read."""
        ...

    def export(self, folder: Path) -> dict[str, Any]:
        """Write what belongs to the format into a guard's folder, and return the rater options of its preset."""
        ...


def levels_of(item: Item) -> dict[str, int]:
    """Return the one level of every category that the item covers."""
    return {name: label.level for name, label in item.aggregated_labels().items()}
