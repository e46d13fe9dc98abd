"""What a rater is, and how a recipe makes one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from babelguard.item import Item
from babelguard.rating import Rating, Score, Status
from babelguard.recipe import RecipeModel
from babelguard.registry import Registry
from babelguard.response_cache import ResponseCache
from babelguard.taxonomy import Taxonomy

RATER_KINDS = Registry(kind="rater kind", package="evaluation.raters", attribute="KIND")


class Rater(Protocol):
    """Anything that gives ratings to items.

    A rater is any object with these attributes and methods; nothing needs to be inherited.
    """

    @property
    def name(self) -> str:
        """Its name in tables and files."""
        ...

    @property
    def description(self) -> str:
        """One sentence for the report."""
        ...

    @property
    def covers(self) -> tuple[str, ...]:
        """The categories that it speaks about, in the taxonomy's order."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hash of all that decides its answers; when it changes, old ratings no longer count."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Sentences that a reader of its figures must know."""
        ...

    def accepts(self, item: Item) -> bool:
        """Tell whether the rater can be asked about the item at all."""
        ...

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        """Yield one rating an item, in the items' order, each with a score for every category."""
        ...


@runtime_checkable
class Observant(Protocol):
    """A rater that has notes to draw from its ratings, also from those that an earlier start of the run stored."""

    def observe(self, rating: Rating) -> None:
        """Take in one of the rater's ratings that count; `notes` is asked for when all have been seen."""
        ...


@dataclass(frozen=True, slots=True)
class Workbench:
    """What the run lends to raters while they are made.

    Attributes:
        taxonomy: The categories that ratings must have.
        items_of: Streams the corpus's items of the given splits, as the recipe reads them.
        cache: Where answers of models and services are kept; `None` where the run keeps none.
    """

    taxonomy: Taxonomy
    items_of: Callable[[Sequence[str]], Iterable[Item]]
    cache: ResponseCache | None = None


@dataclass(frozen=True, slots=True)
class RaterKind:
    """One way of making raters.

    Attributes:
        options: The recipe model of its options.
        build: Makes the rater of a given name.
    """

    options: type[RecipeModel]
    build: Callable[[str, Any, Workbench], Rater]


def fingerprint(*parts: object) -> str:
    """Return a hash (16 hex digits) of plain values that decide a rater's answers."""
    encoded = json.dumps(parts, sort_keys=True, default=str, ensure_ascii=True).encode("ascii")
    return hashlib.sha256(encoded).hexdigest()[:16]


def complete(
    taxonomy: Taxonomy, scores: Mapping[str, Score], missing: Status = Status.NOT_COVERED, detail: str | None = None
) -> dict[str, Score]:
    """Return a score for every category, in order; categories without one get the status `missing`."""
    return {name: scores.get(name) or Score.missing(missing, detail) for name in taxonomy.names}


@dataclass(frozen=True, slots=True)
class RecordedAnswers:
    """Answers that a rater gave in the past, by item id.

    Attributes:
        scores: Item id -> score by category.
        raw: Item id -> the answer as it came.
        asked: The (language, role) pairs for which there are recorded answers.
        notes: Sentences about what was not joined or left out.
    """

    scores: dict[str, Mapping[str, Score]] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)
    asked: set[tuple[str, str]] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class RecordedRater:
    """A rater that repeats recorded answers."""

    name: str
    description: str
    covers: tuple[str, ...]
    fingerprint: str
    taxonomy: Taxonomy
    answers: RecordedAnswers

    @property
    def notes(self) -> Sequence[str]:
        """Sentences that a reader of its figures must know."""
        return self.answers.notes

    def accepts(self, item: Item) -> bool:
        """Tell whether answers were recorded for items of this language and role."""
        return (item.language, item.role.value) in self.answers.asked

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        """Yield the recorded rating of every item; an item without one is void, with that reason."""
        for item in items:
            scores = self.answers.scores.get(item.id)
            if scores is None:
                scores = complete(self.taxonomy, {}, Status.VOID, "no recorded answer belongs to this item")
            yield Rating(self.name, item.id, scores, self.answers.raw.get(item.id))
