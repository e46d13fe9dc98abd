"""How a recipe says what the columns of any table mean, and the item that a row becomes by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, model_validator

from babelguard.item import Item, Message, Role
from babelguard.recipe import RecipeModel
from babelguard.taxonomy import Category, Taxonomy
from data_prep.reading.locale import tag_of
from data_prep.reading.row import Row, RowError

_SPLITS = {"train": "train", "validation": "calibration", "dev": "calibration", "calibration": "calibration"}


class ColumnsRecipe(RecipeModel):
    """Which column holds what; everything but the text may be left out."""

    text: str | None = Field(None, description="Column of the text")
    messages: str | None = Field(None, description="Column of a conversation: a list of {role, content}")
    id: str | None = Field(None, description="Column of a unique id; file name and row number if not set")
    source_id: str | None = Field(None, description="Column that translations and registers of one content share")
    language: str | None = Field(None, description="Column of the language, in any code")
    role: str | None = Field(None, description="Column of the role: prompt, completion, benign-completion, response")
    variety: str | None = Field(None, description="Column of the register (variety of the language)")
    subset: str | None = None
    dialect: str | None = None
    split: str | None = Field(None, description="Column of the split: train, calibration (validation, dev) or test")

    @model_validator(mode="after")
    def _some_content(self) -> ColumnsRecipe:
        if (self.text is None) == (self.messages is None):
            raise ValueError("name the column of the text or that of the messages, one of the two")
        return self


class LabelRecipe(RecipeModel):
    """How one category is labelled. A category without such an entry is not covered."""

    columns: tuple[str, ...] = Field(min_length=1, description="One column an annotator, in order, or one with a list")
    levels: dict[str, int] | None = Field(None, description="Value -> level; if not set the values are levels")
    missing: tuple[str, ...] = Field(("", "NA", "N/A", "null", "None"), description="Values that mean: no label given")


class MappingRecipe(RecipeModel):
    """What the columns of a table mean; `table` and `hub` add where the rows are."""

    dataset: str = Field(min_length=1, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Name in items and ids")
    columns: ColumnsRecipe
    language: str | None = Field(None, description="The language of all rows, where there is no column of it")
    role: Role = Field(Role.PROMPT, description="The role of all rows, where there is no column of it")
    labels: dict[str, LabelRecipe] = Field(default_factory=dict, description="Category -> how it is labelled")
    metadata: tuple[str, ...] = Field((), description="Further columns to keep")

    @model_validator(mode="after")
    def _some_language(self) -> MappingRecipe:
        if (self.language is None) == (self.columns.language is None):
            raise ValueError("give the language of all rows or the column of it, one of the two")
        return self

    @property
    def needed(self) -> tuple[str, ...]:
        """Columns that every file must have."""
        named = [name for name in self.columns.model_dump().values() if name is not None]
        labelled = [name for label in self.labels.values() for name in label.columns]
        return tuple(dict.fromkeys([*named, *labelled, *self.metadata]))


def item_of(row: Row, recipe: MappingRecipe, taxonomy: Taxonomy) -> Item:
    """Return the item that a row stands for.

    Raises:
        RowError: The row has no text, an unknown language, role or split, or a label off its scale.
        UserError: A category of the recipe is not in the taxonomy.
    """
    columns = recipe.columns
    number = _optional(row, columns.id) or f"{row.path.stem}-{row.number}"
    shared = _optional(row, columns.source_id)
    code = recipe.language if columns.language is None else row.value(columns.language)
    return Item(
        id=f"{recipe.dataset}/{number}",
        text="" if columns.text is None else row.text(columns.text),
        language=tag_of(code or ""),
        source=recipe.dataset,
        source_id=f"{recipe.dataset}/{shared or number}",
        role=recipe.role if columns.role is None else _role(row.value(columns.role)),
        register=_optional(row, columns.variety) or "neutral",
        subset=_optional(row, columns.subset),
        dialect=_optional(row, columns.dialect),
        split=None if columns.split is None else _split(row.value(columns.split)),
        labels={name: _levels(row, label, taxonomy[name]) for name, label in recipe.labels.items()},
        messages=() if columns.messages is None else _messages(row.fields.get(columns.messages)),
        metadata={name: row.fields.get(name) for name in recipe.metadata},
        provenance=row.provenance(),
    )


def _optional(row: Row, column: str | None) -> str | None:
    return None if column is None else row.value(column) or None


def _role(value: str) -> Role:
    try:
        return Role(value)
    except ValueError:
        raise RowError("unknown-role", f"the role {value!r:.40} is none of {', '.join(Role)}") from None


def _split(value: str) -> str | None:
    if not value:
        return None
    known = {**_SPLITS, "val": "calibration", "test": "test"}
    if value.casefold() not in known:
        raise RowError("unknown-split", f"the split {value!r:.40} is none of {', '.join(known)}")
    return known[value.casefold()]


def _levels(row: Row, label: LabelRecipe, category: Category) -> tuple[int | None, ...]:
    values: list[Any] = []
    for column in label.columns:
        value = row.fields.get(column)
        values += value if isinstance(value, list | tuple) else [value]
    return tuple(_level(value, label, category) for value in values)


def _level(value: object, label: LabelRecipe, category: Category) -> int | None:
    shown = "" if value is None else str(value).strip()
    if shown in label.missing:
        return None
    if label.levels is not None:
        if shown not in label.levels:
            known = ", ".join(label.levels)
            raise RowError("label-off-scale", f"the label {shown!r:.40} of {category.name} is none of {known}")
        level: object = label.levels[shown]
    else:
        level = int(shown) if shown.isascii() and shown.isdigit() else shown
    if not isinstance(level, int) or not category.has_level(level):
        raise RowError("label-off-scale", f"the label {shown!r:.40} of {category.name} is off 1-{category.scale}")
    return level


def _messages(turns: object) -> tuple[Message, ...]:
    if not isinstance(turns, list) or not turns:
        raise RowError("no-text", "the conversation must be a list of turns")
    found = []
    for turn in turns:
        content = turn.get("content") if isinstance(turn, Mapping) else None
        role = turn.get("role") if isinstance(turn, Mapping) else None
        if not isinstance(content, str) or not isinstance(role, str):
            raise RowError("no-text", "every turn of the conversation needs the strings 'role' and 'content'")
        found.append(Message(role, content))
    return tuple(found)
