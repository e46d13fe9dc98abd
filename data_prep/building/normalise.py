"""Normalise: one way to write the same text, without touching what it says.

Canonical composition (NFC) and line ends only. Format characters (Unicode Cf) stay: they join Persian and Indic
letters and emoji. Encoding mistakes are mended (ftfy) only where a recipe asks for it, because ftfy guesses.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from pydantic import Field

from babelguard.item import Item, Message
from babelguard.recipe import RecipeModel


class NormaliseRecipe(RecipeModel):
    """How texts are made comparable."""

    unicode: Literal["NFC", "none"] = Field("NFC", description="Unicode normal form")
    line_ends: bool = Field(True, description=r"Write every line end as \n")
    trim: bool = Field(True, description="Drop white space at both ends")
    mend_encoding: bool = Field(False, description="Undo text that was decoded with the wrong encoding (ftfy)")


def normaliser(recipe: NormaliseRecipe) -> Callable[[str], str]:
    """Return the function from a text to its normalised form."""
    steps: list[Callable[[str], str]] = []
    if recipe.mend_encoding:
        steps.append(_mend)
    if recipe.line_ends:
        steps.append(_unix_line_ends)
    if recipe.unicode == "NFC":
        steps.append(_compose)
    if recipe.trim:
        steps.append(str.strip)

    def normalise(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return normalise


def normalise_item(item: Item, normalise: Callable[[str], str]) -> Item:
    """Return the item with its text and turns normalised; the same object where nothing changes."""
    text = normalise(item.text)
    messages = tuple(Message(turn.role, normalise(turn.content)) for turn in item.messages)
    if text == item.text and messages == item.messages:
        return item
    return replace(item, text=text, messages=messages)


def _compose(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _unix_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _mend(text: str) -> str:
    """Undo mojibake and nothing else of what ftfy can change: a corpus keeps how people write."""
    import ftfy

    config = ftfy.TextFixerConfig(
        unescape_html=False,
        remove_terminal_escapes=False,
        fix_latin_ligatures=False,
        fix_character_width=False,
        uncurl_quotes=False,
        fix_line_breaks=False,
        remove_control_chars=False,
        normalization=None,
        explain=False,
    )
    return ftfy.fix_text(text, config)
