"""The recipe of an evaluation: a corpus, the raters to put on it, and how figures are made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from babelguard.errors import UserError
from babelguard.recipe import ComponentRecipe, RecipeModel, load_recipe, validate
from babelguard.taxonomy import Taxonomy, taxonomy
from data_prep.source import SOURCES, Source
from evaluation.rater import RATER_KINDS, RaterKind

Split = Literal["train", "calibration", "test"]
RESERVED_NAMES = ("majority", "macro", "none", "humans", "human-pairs", "human-left-out", "other-humans")


class CorpusRecipe(ComponentRecipe):
    """Which items are rated. The source's own options stand beside these keys."""

    source: str = Field(description="Name of the source, as in docs/sources.md")
    splits: tuple[Split, ...] | None = Field(None, description="Splits to rate; all items if not set")
    on_bad_row: Literal["stop", "set-aside"] = "stop"


class RaterRecipe(ComponentRecipe):
    """One rater. Its kind's own options stand beside these keys."""

    kind: str = Field(description="Kind of rater, as in docs/raters.md")
    name: str = Field("", description="Name in tables and files; the preset, else the kind, if not set")

    @model_validator(mode="before")
    @classmethod
    def _named_after_preset_or_kind(cls, values: Any) -> Any:  # noqa: ANN401 - whatever the recipe holds
        if isinstance(values, dict) and not values.get("name"):
            preset = values.get("preset")
            return {**values, "name": Path(preset).stem if isinstance(preset, str) else values.get("kind", "")}
        return values

    @field_validator("name")
    @classmethod
    def _usable_name(cls, name: str) -> str:
        if not name or not all(c.isalnum() or c in "-_." for c in name) or name.startswith((".", "-")):
            raise ValueError("a rater's name has letters, digits, '-', '_' and '.' only")
        if name in RESERVED_NAMES or name.startswith("human-"):
            raise ValueError("this name is kept for people; choose another")
        return name


class IntervalsRecipe(RecipeModel):
    """How intervals are made: a bootstrap over source_ids."""

    replicates: int = Field(2000, ge=1, le=100_000, description="Bootstrap replicates")
    confidence: float = Field(0.95, gt=0.5, lt=1.0, description="Share of replicates inside the interval")
    method: Literal["percentile", "bca"] = "bca"
    seed: int = Field(0, ge=0, description="Seed of the resampling")


class EvaluationRecipe(RecipeModel):
    """One evaluation."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Name of the run folder")
    description: str = ""
    taxonomy: str = "rtp-lx"
    corpus: CorpusRecipe
    raters: tuple[RaterRecipe, ...] = Field(min_length=1)
    intervals: IntervalsRecipe = IntervalsRecipe()
    limit: int | None = Field(None, ge=1, description="Rate only this many source_ids, each with all its items")
    cache: bool | Path = Field(
        True, description="Keep answers of models and services, so that none is paid for twice; false, or another file"
    )
    output: Path = Field(Path("runs"), description="Folder for run folders")

    @model_validator(mode="after")
    def _distinct_names(self) -> EvaluationRecipe:
        names = [rater.name.casefold() for rater in self.raters]
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise ValueError(f"two raters are named {doubled[0]!r}; give each its own name")
        return self

    def identity(self) -> str:
        """Return a hash of what decides the ratings (8 hex digits): settings of the figures do not count."""
        parts = self.model_dump(mode="json", include={"taxonomy", "corpus", "raters", "limit"})
        parts["options"] = [self.corpus.own_options, *(rater.own_options for rater in self.raters)]
        encoded = json.dumps(parts, sort_keys=True, default=str).encode("utf-8")
        return hashlib.sha256(encoded).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Plan:
    """A recipe with everything that its names stand for."""

    recipe: EvaluationRecipe
    taxonomy: Taxonomy
    source: Source
    source_options: RecipeModel
    raters: tuple[tuple[RaterRecipe, RaterKind, RecipeModel], ...]

    @property
    def run_folder(self) -> Path:
        """Where the run's files go: named for the recipe and for what decides its ratings."""
        return self.recipe.output / f"{self.recipe.name}-{self.recipe.identity()}"

    def resolved(self) -> dict[str, Any]:
        """Return the whole recipe as plain values, every default written out."""
        record = self.recipe.model_dump(mode="json", exclude={"corpus", "raters"})
        corpus = self.recipe.corpus.model_dump(mode="json", include=set(CorpusRecipe.model_fields))
        record["corpus"] = {**corpus, **self.source_options.model_dump(mode="json")}
        record["raters"] = [
            {**rater.model_dump(mode="json", include=set(RaterRecipe.model_fields)), **options.model_dump(mode="json")}
            for rater, _, options in self.raters
        ]
        order = ("name", "description", "taxonomy", "corpus", "raters", "intervals", "limit", "cache", "output")
        return {key: record[key] for key in order}


def load_plan(path: Path, overrides: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> Plan:
    """Read a recipe and look up everything that it names.

    Raises:
        UserError: Anything in the recipe is wrong; problems of all components are reported at once.
    """
    recipe = load_recipe(path, EvaluationRecipe, overrides, environment)
    problems: list[str] = []

    def options_of(component: ComponentRecipe, model: type[RecipeModel], at: str) -> RecipeModel | None:
        try:
            own = list(type(component).model_fields)
            return validate(component.own_options, model, str(path), at.split("."), own)
        except UserError as error:
            problems.append(str(error))
            return None

    source: Source = SOURCES.get(recipe.corpus.source)
    source_options = options_of(recipe.corpus, source.options, "corpus")
    raters = []
    for number, rater in enumerate(recipe.raters):
        kind: RaterKind = RATER_KINDS.get(rater.kind)
        options = options_of(rater, kind.options, f"raters.{number}")
        if options is not None:
            raters.append((rater, kind, options))
    chosen = taxonomy(recipe.taxonomy)
    if problems or source_options is None:
        raise UserError("\n".join(problems))
    return Plan(recipe, chosen, source, source_options, tuple(raters))
