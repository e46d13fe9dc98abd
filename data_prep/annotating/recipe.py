"""The recipe of a batch of sheets: which items, for whom, and what is asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from babelguard.errors import UserError
from babelguard.item import Role
from babelguard.languages import language
from babelguard.recipe import ComponentRecipe, RecipeModel, load_recipe, validate
from babelguard.taxonomy import Taxonomy, taxonomy
from data_prep.annotating.rubric import GUIDELINES, Task
from data_prep.source import SOURCES, Source

PersonName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


class SheetSource(ComponentRecipe):
    """Where the items are. The source's own options stand beside this key."""

    source: str = Field(description="Name of the source, as in docs/sources.md")


class SheetsRecipe(RecipeModel):
    """One batch of sheets."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Name of the batch and of its folder")
    task: Task
    taxonomy: str = "rtp-lx"
    corpus: SheetSource
    roles: tuple[Role, ...] = Field((Role.PROMPT,), description="Roles of the texts to annotate or review")
    source_language: str = Field("en", description="Language of the sources of transcreation and review")
    languages: tuple[str, ...] = Field(
        min_length=1, description="Languages to annotate, to transcreate into or to review"
    )
    people: tuple[PersonName, ...] = Field(min_length=1, description="One sheet a language for each; two for a review")
    dialects: tuple[str, ...] = Field((), description="Dialects to choose from in transcreation; any text if empty")
    guidelines: Path | None = Field(None, description="Text file, a line a rule; ours if not set")
    per_language: int = Field(15, ge=1, description="Contents in a review, the same ones in every language")
    limit: int | None = Field(None, ge=1, description="Annotate or transcreate only this many source_ids")
    seed: int = Field(0, ge=0, description="Seed of choice, order and codes")
    formats: tuple[Literal["xlsx", "csv"], ...] = Field(("xlsx", "csv"), min_length=1)
    output: Path = Field(Path("sheets"), description="Folder for batches")

    @model_validator(mode="after")
    def _consistent(self) -> SheetsRecipe:
        folded = [name.casefold() for name in self.people]
        if len(set(folded)) < len(folded):
            raise ValueError("two people have the same name")
        if any(set(dialect) & set(',"') for dialect in self.dialects):
            raise ValueError("a dialect with a comma or a quotation mark cannot stand in a list of a spreadsheet")
        tags = [language(code).tag for code in self.languages]
        if self.task != "annotation" and language(self.source_language).tag in tags:
            raise ValueError(f"{self.source_language} is the source; name the languages to bring it into")
        return self

    @property
    def folder(self) -> Path:
        """Where the batch goes."""
        return self.output / self.name

    @property
    def tags(self) -> tuple[str, ...]:
        """The languages as BCP-47 tags."""
        return tuple(dict.fromkeys(language(code).tag for code in self.languages))


@dataclass(frozen=True, slots=True)
class SheetsPlan:
    """A recipe with everything that its names stand for."""

    recipe: SheetsRecipe
    taxonomy: Taxonomy
    source: Source
    options: RecipeModel
    guidelines: tuple[str, ...]


def load_sheets_plan(
    path: Path, overrides: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> SheetsPlan:
    """Read a recipe and look up everything that it names.

    Raises:
        UserError: Anything in the recipe is wrong.
    """
    return plan_sheets(load_recipe(path, SheetsRecipe, overrides, environment), str(path))


def plan_sheets(recipe: SheetsRecipe, name: str) -> SheetsPlan:
    """Look up everything that a recipe names.

    Args:
        recipe: The recipe.
        name: What errors call it.

    Raises:
        UserError: Anything in the recipe is wrong.
    """
    source: Source = SOURCES.get(recipe.corpus.source)
    options = validate(recipe.corpus.own_options, source.options, name, ["corpus"], ["source"])
    guidelines = GUIDELINES[recipe.task] if recipe.guidelines is None else _lines_of(recipe.guidelines)
    return SheetsPlan(recipe, taxonomy(recipe.taxonomy), source, options, guidelines)


def _lines_of(path: Path) -> tuple[str, ...]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise UserError(f"guidelines: {path} does not exist; leave it out for ours.") from None
    except UnicodeDecodeError as error:
        raise UserError(f"guidelines: {path} is not UTF-8 (byte {error.start}); save it as UTF-8.") from None
    rules = tuple(line for line in lines if line.strip())
    if not rules:
        raise UserError(f"guidelines: {path} is empty; write a rule a line, or leave it out for ours.")
    return rules
