"""What a policy file may say."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from babelguard.recipe import RecipeModel


class Action(StrEnum):
    """What is done about a text, mildest first."""

    ALLOW = "allow"
    FLAG = "flag"
    BLOCK = "block"

    @property
    def severity(self) -> int:
        """0 for allow, 1 for flag, 2 for block."""
        return _SEVERITY[self]


_SEVERITY = {action: place for place, action in enumerate(Action)}


class FromProbability(RecipeModel):
    """Holds where P(level > above) reaches `probability`."""

    probability: float = Field(gt=0, le=1)
    above: int = Field(1, ge=1)


class FromLevel(RecipeModel):
    """Holds where the rated level is at least `level`."""

    level: int = Field(ge=2)


def _plain_number(value: Any) -> Any:  # noqa: ANN401 - any YAML value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {"probability": value}
    return value


Condition: TypeAlias = Annotated[
    FromProbability | FromLevel | Literal["guard", "never"], BeforeValidator(_plain_number)
]
"""``guard``: the guard's own threshold; ``never``; a number: P(level > 1) reaches it; or one of the models above."""


class Conditions(RecipeModel):
    """When a text is flagged and when it is blocked; what is not said here is looked up one place further out."""

    flag: Condition | None = None
    block: Condition | None = None


class CategoryPolicy(Conditions):
    """The conditions of a category, and those of single languages."""

    languages: dict[str, Conditions] = Field(default_factory=dict, description="Language code -> its own conditions")


class PhraseList(RecipeModel):
    """Words and phrases, here or in a file of one a line."""

    name: str = Field(min_length=1, description="Told in answers and counted in metrics")
    entries: tuple[str, ...] = ()
    file: Path | None = Field(None, description="UTF-8, one entry a line; relative to the policy's folder")
    languages: tuple[str, ...] | None = Field(None, description="Only for texts in these; for all if not set")

    @model_validator(mode="after")
    def _holds_something(self) -> PhraseList:
        if not self.entries and self.file is None:
            raise ValueError("a list needs `entries` or a `file`")
        return self


class BlockList(PhraseList):
    """Texts that hold an entry get at least this action."""

    action: Literal[Action.FLAG, Action.BLOCK] = Action.BLOCK


class PolicyDocument(RecipeModel):
    """A policy file."""

    format: Literal[1]
    name: str = Field(min_length=1, max_length=100, pattern=r"^[\x20-\x7e]+$")
    version: str = Field(min_length=1, max_length=100, pattern=r"^[\x20-\x7e]+$")
    description: str = ""
    every_category: CategoryPolicy = CategoryPolicy()
    categories: dict[str, CategoryPolicy] = Field(default_factory=dict)
    allow_lists: tuple[PhraseList, ...] = Field(
        (),
        description="A text that is an entry, as a whole, is allowed. An entry inside a longer text only shields the "
        "block-list entries within it",
    )
    block_lists: tuple[BlockList, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _dates_and_numbers_are_versions(cls, values: Any) -> Any:  # noqa: ANN401 - any YAML value
        """YAML reads 2026-11-30 as a date and 1.0 as a number; both are meant as they are written."""
        if isinstance(values, dict) and not isinstance(values.get("version"), str | bool | list | dict | None):
            return {**values, "version": str(values["version"])}
        return values
