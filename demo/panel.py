"""Panel: raters that judge the same text side by side; other guards, and whatever raters a recipe names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.languages import language
from babelguard.rating import Rating, Score
from babelguard.taxonomy import RTP_LX, Taxonomy
from demo.verdict import Moderator

if TYPE_CHECKING:
    from evaluation.rater import Rater
    from evaluation.recipe import Plan

SIDE_BY_SIDE = Path(__file__).resolve().parents[1] / "recipes" / "demo" / "side-by-side.yaml"
"""The recipe whose raters are loaded unless another is named."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """One category of an answer.

    Attributes:
        level: The level; `None` where there is none.
        scale: The highest level.
        probability: Probability (0-1) that the level is above 1, where the rater gives one.
        flagged: Whether the rater would flag the category: at its own threshold, else at any level above 1.
        why: Why there is no level.
    """

    level: int | None
    scale: int
    probability: float | None = None
    flagged: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one rater says about one text.

    Attributes:
        rater: Its name.
        about: One sentence about it.
        opinions: Category -> opinion; empty where the rater cannot be asked.
        why: Why it cannot be asked.
    """

    rater: str
    about: str
    opinions: Mapping[str, Opinion] = field(default_factory=dict)
    why: str = ""

    @property
    def flagged(self) -> bool:
        """Whether any category is flagged."""
        return any(opinion.flagged for opinion in self.opinions.values())


@dataclass(frozen=True)
class GuardSeat:
    """Another guard on the panel."""

    moderator: Moderator
    name: str

    def answer(self, item: Item, taxonomy: Taxonomy) -> Answer:
        """Return what the guard says about the text."""
        found = self.moderator.judge(item.text, item.language or None)
        opinions = {
            c.name: Opinion(c.level, c.scale, c.probability, c.flagged) for c in found.categories if c.name in taxonomy
        }
        manifest = self.moderator.guard.bundle
        return Answer(self.name, f"The guard {manifest.name} {manifest.version}, at its own thresholds.", opinions)


@dataclass(frozen=True)
class RaterSeat:
    """A rater of a recipe on the panel; it is asked one text at a time, because not all raters can do more."""

    rater: Rater
    lock: Lock = field(default_factory=Lock)

    def answer(self, item: Item, taxonomy: Taxonomy) -> Answer:
        """Return what the rater says about the text, or why it cannot be asked."""
        name, about = self.rater.name, self.rater.description
        with self.lock:
            try:
                if not self.rater.accepts(item):
                    return Answer(name, about, why=f"Has nothing for {_spoken(item.language)}.")
                rating = next(iter(self.rater.rate([item])))
            except UserError as error:
                return Answer(name, about, why=str(error))
        return Answer(name, about, _opinions(rating, taxonomy))


@dataclass(frozen=True)
class Panel:
    """Raters side by side.

    Attributes:
        seats: The raters.
        taxonomy: Whose categories they speak about.
    """

    seats: Sequence[GuardSeat | RaterSeat] = ()
    taxonomy: Taxonomy = RTP_LX

    def answers(self, text: str, code: str | None) -> list[Answer]:
        """Return what every rater says about a text.

        Args:
            text: The text.
            code: Code of its language; `None` where nobody knows.
        """
        item = Item(id="asked", text=text, language=_tag(code), source="demo", source_id="demo/asked")
        return [seat.answer(item, self.taxonomy) for seat in self.seats]


def guard_seats(bundles: Sequence[Path]) -> list[GuardSeat]:
    """Load other guards, each named by its bundle's name and version.

    Raises:
        UserError: A bundle cannot be loaded.
    """
    from serve.guard import Guard

    guards = [Guard.load(path, tuning="latency") for path in bundles]
    return [GuardSeat(Moderator.of(guard), f"{guard.bundle.name} {guard.bundle.version}") for guard in guards]


def open_recipe(recipe: Path, overrides: Sequence[str] = ()) -> Plan:
    """Read an evaluation recipe for its raters; its corpus is what raters that learn are trained on.

    Raises:
        UserError: The recipe is wrong, or a library that it needs is missing.
    """
    try:
        from evaluation.recipe import load_plan

        return load_plan(recipe, overrides)
    except ModuleNotFoundError as error:
        raise _missing(recipe, error) from None


def rater_seats(plan: Plan, recipe: Path) -> list[RaterSeat]:
    """Make the raters of a recipe; this may take as long as training or loading a model does.

    Raises:
        UserError: A rater's files are wrong, or a library that it needs is missing.
    """
    try:
        from evaluation.evaluate import build_raters, open_corpus

        return [RaterSeat(rater) for rater in build_raters(plan, open_corpus(plan))]
    except ModuleNotFoundError as error:
        raise _missing(recipe, error) from None


def _missing(recipe: Path, error: ModuleNotFoundError) -> UserError:
    return UserError(
        f"The raters of {recipe} need the package {error.name!r}, which is not installed: "
        "pip install 'babelguard[evaluation]', or pass --no-raters."
    )


def _opinions(rating: Rating, taxonomy: Taxonomy) -> dict[str, Opinion]:
    return {c.name: _opinion(rating.scores[c.name], c.scale) for c in taxonomy if c.name in rating.scores}


def _opinion(score: Score, scale: int) -> Opinion:
    why = "" if score.level is not None else (score.detail or score.status.value.replace("-", " "))
    flagged = score.level is not None and score.level > 1
    return Opinion(score.level, scale, score.probability, flagged, why)


def _tag(code: str | None) -> str:
    """Return the tag by which raters know a language; raters take only those of the table."""
    if code is None:
        return ""
    try:
        return language(code).tag
    except UserError:
        return ""


def _spoken(tag: str) -> str:
    return language(tag).name if tag else "a text whose language is not known; choose it"
