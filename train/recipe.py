"""The recipe of a training: a corpus, a kind of guard, and how it is trained, chosen and calibrated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import Field, field_validator, model_validator

from babelguard.errors import UserError
from babelguard.recipe import ComponentRecipe, RecipeModel, load_recipe, validate
from babelguard.taxonomy import Taxonomy, taxonomy
from data_prep.source import SOURCES, Source
from train.corpus_recipe import PartRecipe
from train.kind import GUARD_KINDS, GuardKind
from train.optimisation import OptimisationRecipe

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
OptionsT = TypeVar("OptionsT", bound=RecipeModel)


class TrainRecipe(ComponentRecipe):
    """One training. The options of its kind of guard stand beside these keys."""

    name: str = Field(pattern=NAME, description="Name of the guard and of the run's folder")
    version: str = Field("0.1.0", description="Version of the guard, as its bundle will say")
    description: str = ""
    kind: str = Field(description="Kind of guard, as in docs/training.md")
    taxonomy: str = "rtp-lx"
    seed: int = Field(0, ge=0, description="Seed of initial weights, order, dropout and sampling")
    corpus: tuple[PartRecipe, ...] = Field(min_length=1, description="The sources to learn from; one, or a list")
    hold_out: tuple[str, ...] = Field(
        (), description="Languages left out of training and calibration, and still tested"
    )
    limit: int | None = Field(None, ge=1, description="Take only this many source_ids of each split, all their items")
    optimisation: OptimisationRecipe = OptimisationRecipe()
    calibration: Mapping[str, Any] = Field(
        {}, description="Options of calibration and thresholds, see docs/training.md"
    )
    export: Mapping[str, Any] = Field({}, description="Options of `python -m train.export`, see docs/training.md")
    licence: str = Field("", description="Licence of the guard; what its base and its data allow is yours to check")
    output: Path = Field(Path("runs/train"), description="Folder for run folders")

    @field_validator("corpus", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:  # noqa: ANN401 - whatever the recipe holds
        return [value] if isinstance(value, Mapping) else value

    @model_validator(mode="after")
    def _distinct_parts(self) -> TrainRecipe:
        names = [part.name.casefold() for part in self.corpus]
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise ValueError(f"two parts of the corpus are named {doubled[0]!r}; give each its own 'name'")
        return self


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """One source of the corpus, with everything that its name stands for."""

    recipe: PartRecipe
    source: Source
    options: RecipeModel

    @property
    def licences(self) -> dict[str, str]:
        """Licence of the part, or of every part that it holds."""
        if self.recipe.licence:
            return {self.recipe.name: self.recipe.licence}
        if self.source.part_licences is not None:
            inner = self.source.part_licences(self.options)
            return {f"{self.recipe.name}/{name}": licence for name, licence in inner.items()}
        return {self.recipe.name: self.source.licence}


@dataclass(frozen=True, slots=True)
class TrainPlan(Generic[OptionsT]):
    """A recipe with everything that its names stand for.

    Attributes:
        recipe: What all kinds of guards share.
        taxonomy: The categories.
        parts: The sources.
        kind: The kind of guard.
        options: The kind's own options.
    """

    recipe: TrainRecipe
    taxonomy: Taxonomy
    parts: tuple[PlannedPart, ...]
    kind: GuardKind
    options: OptionsT

    @property
    def run_folder(self) -> Path:
        """Where the run's files go: named for the recipe and for what decides its weights."""
        return self.recipe.output / f"{self.recipe.name}-{self.identity()}"

    def identity(self) -> str:
        """Return a hash of what decides the weights (8 hex digits).

        How long one sitting lasts, where it is reported, calibration and export do not count: a run goes on with
        other values of these.
        """
        record = self.resolved()
        for key in ("name", "version", "description", "calibration", "export", "licence", "output"):
            del record[key]
        for key in OptimisationRecipe.NOT_IDENTITY:
            record["optimisation"].pop(key)
        for key in self.kind.not_identity:
            record.pop(key, None)
        encoded = json.dumps(record, sort_keys=True, default=str).encode("utf-8")
        return hashlib.sha256(encoded).hexdigest()[:8]

    def resolved(self) -> dict[str, Any]:
        """Return the whole recipe as plain values, every default written out."""
        record = self.recipe.model_dump(mode="json", include=set(TrainRecipe.model_fields), exclude={"corpus"})
        own = set(PartRecipe.model_fields)
        record["corpus"] = [
            {**part.recipe.model_dump(mode="json", include=own), **part.options.model_dump(mode="json")}
            for part in self.parts
        ]
        return {**record, **self.options.model_dump(mode="json")}


def load_plan(
    path: Path, overrides: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> TrainPlan[Any]:
    """Read a recipe and look up everything that it names.

    Raises:
        UserError: Anything in the recipe is wrong; problems of all sources and of the kind are reported at once.
    """
    recipe = load_recipe(path, TrainRecipe, overrides, environment)
    problems: list[str] = []
    kind: GuardKind = GUARD_KINDS.get(recipe.kind)
    options = None
    try:
        options = validate(recipe.own_options, kind.options, str(path), own_keys=list(TrainRecipe.model_fields))
        validate(recipe.export, kind.export, str(path), ["export"])
    except UserError as error:
        problems.append(str(error))
    parts = []
    for number, part in enumerate(recipe.corpus):
        try:
            source: Source = SOURCES.get(part.source)
            own = list(PartRecipe.model_fields)
            parts.append(
                PlannedPart(
                    part, source, validate(part.own_options, source.options, str(path), ["corpus", str(number)], own)
                )
            )
        except UserError as error:
            problems.append(str(error))
    chosen = taxonomy(recipe.taxonomy)
    if problems or options is None:
        raise UserError("\n".join(problems))
    return TrainPlan(recipe, chosen, tuple(parts), kind, options)
