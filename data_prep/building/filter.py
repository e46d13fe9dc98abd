"""Filter: which items a corpus takes, and the reason why it leaves others out."""

from __future__ import annotations

from pydantic import Field, model_validator

from babelguard.item import Item, Role
from babelguard.languages import language
from babelguard.recipe import RecipeModel


class FilterRecipe(RecipeModel):
    """What an item must be to be taken. If nothing is set, only items without a text are left out."""

    languages: tuple[str, ...] | None = Field(None, description="Any codes of the languages to take; all if not set")
    roles: tuple[Role, ...] | None = Field(None, description="Roles to take; all if not set")
    registers: tuple[str, ...] | None = Field(None, description="Registers to take; all if not set")
    min_characters: int = Field(0, ge=0, description="Shortest text taken, in characters (code points)")
    max_characters: int | None = Field(None, ge=1, description="Longest text taken, in characters (code points)")
    labelled: bool = Field(False, description="Take only items with a level in some category")

    @model_validator(mode="after")
    def _some_length(self) -> FilterRecipe:
        if self.max_characters is not None and self.max_characters < self.min_characters:
            raise ValueError("max_characters is below min_characters, which leaves nothing")
        return self


class Filter:
    """Decides which items to take."""

    def __init__(self, recipe: FilterRecipe) -> None:
        """Look up the languages.

        Raises:
            UserError: A language is unknown.
        """
        self.recipe = recipe
        self.tags = None if recipe.languages is None else {language(code).tag for code in recipe.languages}

    def reason_against(self, item: Item) -> str | None:
        """Return why an item is left out, or `None` where it is taken.

        A conversation is as long as its turns together. A void text is a placeholder in the place of a lost one.
        """
        recipe = self.recipe
        length = len(item.text.strip()) + sum(len(turn.content.strip()) for turn in item.messages)
        checks = (
            ("filter-empty", length == 0),
            ("filter-void-text", bool(item.metadata.get("text_is_void"))),
            ("filter-language", self.tags is not None and item.language not in self.tags),
            ("filter-role", recipe.roles is not None and item.role not in recipe.roles),
            ("filter-register", recipe.registers is not None and item.register not in recipe.registers),
            ("filter-too-short", length < recipe.min_characters),
            ("filter-too-long", recipe.max_characters is not None and length > recipe.max_characters),
            ("filter-unlabelled", recipe.labelled and not item.aggregated_labels()),
        )
        return next((reason for reason, holds in checks if holds), None)
