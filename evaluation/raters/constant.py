"""A rater that gives every text the same level, whatever it says: the yardstick of percentage agreement.

Where most texts are harmless in most categories, "always harmless" agrees with people more often than many a model,
and its kappa is 0. A report with it in shows what a percentage is worth on its corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field

from babelguard.item import Item
from babelguard.rating import Rating, Score
from babelguard.recipe import RecipeModel
from babelguard.taxonomy import Taxonomy
from evaluation.rater import RaterKind, Workbench, fingerprint


class ConstantOptions(RecipeModel):
    """Which level."""

    level: int = Field(1, ge=1, description="The level for every text; the top of the scale where that is lower")


@dataclass(frozen=True)
class ConstantRater:
    """Says the same of everything."""

    name: str
    description: str
    fingerprint: str
    taxonomy: Taxonomy
    level: int
    notes: Sequence[str] = ()

    @property
    def covers(self) -> tuple[str, ...]:
        """Every category."""
        return self.taxonomy.names

    def accepts(self, item: Item) -> bool:  # noqa: ARG002 - it needs to see nothing
        """Tell whether the rater can be asked; it always can."""
        return True

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        """Yield the same rating for every item."""
        scores = {category.name: Score(min(self.level, category.scale)) for category in self.taxonomy}
        for item in items:
            yield Rating(self.name, item.id, scores)


def build(name: str, options: ConstantOptions, bench: Workbench) -> ConstantRater:
    """Make the rater."""
    return ConstantRater(
        name=name,
        description=f"No model: level {options.level} for every text, to show what agreement alone is worth.",
        fingerprint=fingerprint("constant", 1, options.level, bench.taxonomy.names),
        taxonomy=bench.taxonomy,
        level=options.level,
    )


KIND = RaterKind(options=ConstantOptions, build=build)
