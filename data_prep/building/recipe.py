"""The recipe of a build: the sources it reads, and what each stage does to their items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from babelguard.errors import UserError
from babelguard.recipe import ComponentRecipe, RecipeModel, load_recipe, validate
from babelguard.taxonomy import Taxonomy, taxonomy
from data_prep.building.balance import BalanceRecipe
from data_prep.building.deduplicate import DeduplicateRecipe
from data_prep.building.filter import FilterRecipe
from data_prep.building.licence import Use
from data_prep.building.normalise import NormaliseRecipe
from data_prep.building.split import SplitRecipe
from data_prep.register_shift import ShiftOptions
from data_prep.source import SOURCES, Source

PartSplit = Literal["own", "hash", "train", "calibration", "test"]
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"


class PartRecipe(ComponentRecipe):
    """One source of the corpus. The source's own options stand beside these keys."""

    source: str = Field(description="Name of the source, as in docs/sources.md")
    name: str = Field("", pattern=NAME, description="Name of this part in the manifest; the source's if not set")
    splits: tuple[Literal["train", "calibration", "test"], ...] | None = Field(
        None, description="Take only what the source itself has in these splits; everything if not set"
    )
    split: PartSplit = Field("own", description="own: the source's splits where it has some; hash: none of them")
    filter: FilterRecipe = Field(
        FilterRecipe(), description="What an item of this part must be, beside the filter of all"
    )
    licence: str | None = Field(None, description="Licence that you cleared this part for, in place of the publisher's")

    @model_validator(mode="before")
    @classmethod
    def _named_after_source(cls, values: Any) -> Any:  # noqa: ANN401 - whatever the recipe holds
        if isinstance(values, dict) and not values.get("name"):
            return {**values, "name": values.get("source", "")}
        return values


class BuildRecipe(RecipeModel):
    """One corpus."""

    name: str = Field(pattern=NAME, description="Name of the corpus and of its folder")
    description: str = ""
    use: Use = Field("research", description="What the corpus may be used for; commercial refuses parts that forbid it")
    taxonomy: str = "rtp-lx"
    data: Path = Field(Path("data"), description="A folder that paths can refer to as ${data}")
    sources: tuple[PartRecipe, ...] = Field(min_length=1)
    filter: FilterRecipe = FilterRecipe()
    normalise: NormaliseRecipe = NormaliseRecipe()
    registers: ShiftOptions | None = Field(
        None, description="Register shift: its options, or the registers' names, or all; no twins if not set"
    )
    deduplicate: DeduplicateRecipe = DeduplicateRecipe()
    balance: BalanceRecipe = BalanceRecipe()
    split: SplitRecipe = SplitRecipe()
    limit: int | None = Field(None, ge=1, description="Take only this many source_ids of each source, all their items")
    strict: bool = Field(False, description="Stop at the first row that cannot be read")
    shard_megabytes: int = Field(256, ge=1, description="Size of a shard in memory before compression, in MB (10^6 B)")
    output: Path = Field(Path("corpora"), description="Folder for corpora")

    @field_validator("registers", mode="before")
    @classmethod
    def _names_alone(cls, value: Any) -> Any:  # noqa: ANN401 - whatever the recipe holds
        return {"registers": value} if isinstance(value, list) or value == "all" else value

    @model_validator(mode="after")
    def _distinct_names(self) -> BuildRecipe:
        names = [part.name.casefold() for part in self.sources]
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise ValueError(f"two sources are named {doubled[0]!r}; give each its own 'name'")
        return self

    @property
    def folder(self) -> Path:
        """Where the corpus goes."""
        return self.output / self.name


@dataclass(frozen=True, slots=True)
class Part:
    """One source of a corpus, with everything that its name stands for."""

    recipe: PartRecipe
    source: Source
    options: RecipeModel

    @property
    def name(self) -> str:
        """Name in the manifest."""
        return self.recipe.name

    @property
    def licence(self) -> str:
        """The licence that counts: what the recipe cleared the part for, else what the publisher says."""
        return self.recipe.licence or "; ".join(dict.fromkeys(licence for _, licence in self.licences()))

    def licences(self) -> list[tuple[str, str]]:
        """Return name and licence, or those of every part where the source is a corpus of several."""
        if self.recipe.licence is None and self.source.part_licences is not None:
            inner = self.source.part_licences(self.options)
            return [(f"{self.name}/{name}", licence) for name, licence in inner.items()]
        return [(self.name, self.recipe.licence or self.source.licence)]


@dataclass(frozen=True, slots=True)
class Plan:
    """A recipe with everything that its names stand for."""

    recipe: BuildRecipe
    taxonomy: Taxonomy
    parts: tuple[Part, ...]

    def resolved(self) -> dict[str, Any]:
        """Return the whole recipe as plain values, every default written out."""
        record = self.recipe.model_dump(mode="json")
        own = set(PartRecipe.model_fields)
        record["sources"] = [
            {**part.recipe.model_dump(mode="json", include=own), **part.options.model_dump(mode="json")}
            for part in self.parts
        ]
        return record


def load_plan(path: Path, overrides: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> Plan:
    """Read a recipe and look up everything that it names.

    Raises:
        UserError: Anything in the recipe is wrong; problems of all sources are reported at once.
    """
    recipe = load_recipe(path, BuildRecipe, overrides, environment)
    problems: list[str] = []
    parts = []
    for number, part in enumerate(recipe.sources):
        try:
            source: Source = SOURCES.get(part.source)
            own = list(PartRecipe.model_fields)
            options = validate(part.own_options, source.options, str(path), ["sources", str(number)], own)
            parts.append(Part(part, source, options))
        except UserError as error:
            problems.append(str(error))
    if problems:
        raise UserError("\n".join(problems))
    return Plan(recipe, taxonomy(recipe.taxonomy), tuple(parts))
