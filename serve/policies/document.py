"""What a policy file may say."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from babelguard.recipe import RecipeModel
from babelguard.yaml_reading import as_yaml


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


_MAY_STAND = "a probability above 0 and up to 1, {probability: P, above: N}, {level: N} from 2 on, guard, or never"


def _condition(value: Any) -> Any:  # noqa: ANN401 - any YAML value
    """Return a condition for its model; what is none is told in one sentence instead of one for each kind."""
    full = {"probability": value} if _is_number(value) else value
    if isinstance(full, FromProbability | FromLevel) or (isinstance(full, str) and full in {"guard", "never"}):
        return full
    if isinstance(full, dict) and _is_condition(full):
        return full
    raise ValueError(f"found {as_yaml(value)}{_hint(value)}; here may stand {_MAY_STAND}")


def _is_condition(value: dict[Any, Any]) -> bool:
    if set(value) == {"level"}:
        return _is_whole(value["level"]) and value["level"] >= 2
    if "probability" not in value or not set(value) <= {"probability", "above"}:
        return False
    above = value.get("above", 1)
    return _is_number(value["probability"]) and 0 < value["probability"] <= 1 and _is_whole(above) and above >= 1


def _hint(value: Any) -> str:  # noqa: ANN401 - any YAML value
    if isinstance(value, dict) and {"probability", "level"} <= set(value):
        return ", of which one alone can hold"
    if not isinstance(value, str):
        return ""
    percent = value.strip().endswith("%")
    try:
        number = float(value.strip().removesuffix("%")) / (100 if percent else 1)
    except ValueError:
        return ""
    remedy = f"write {number:g}" if percent else "leave out the quotes"
    return f" ({remedy})" if 0 < number <= 1 else ""


def _is_number(value: Any) -> bool:  # noqa: ANN401 - any YAML value
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:  # noqa: ANN401 - any YAML value
    return isinstance(value, int) and not isinstance(value, bool)


Condition: TypeAlias = Annotated[FromProbability | FromLevel | Literal["guard", "never"], BeforeValidator(_condition)]
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


def _listed_action(value: Any) -> Any:  # noqa: ANN401 - any YAML value
    if value not in (Action.FLAG, Action.BLOCK):
        raise ValueError(f"found {as_yaml(value)}; here may stand flag or block")
    return value


class BlockList(PhraseList):
    """Texts that hold an entry get at least this action."""

    action: Annotated[Literal[Action.FLAG, Action.BLOCK], BeforeValidator(_listed_action)] = Action.BLOCK


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
