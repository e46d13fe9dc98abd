"""Rated examples that a rubric shows to a judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from babelguard.errors import UserError
from babelguard.taxonomy import Taxonomy
from babelguard.yaml_reading import describe, parse_yaml

TEMPLATES = Path(__file__).resolve().parent / "templates"


@dataclass(frozen=True, slots=True)
class Example:
    """A text and its levels.

    Attributes:
        text: The text.
        levels: Category -> level, for every category of the taxonomy, in its order.
    """

    text: str
    levels: Mapping[str, int]


def bundled_examples(taxonomy: Taxonomy) -> Path | None:
    """Return the project's own examples for a taxonomy, if there are any."""
    path = TEMPLATES / f"examples-{taxonomy.name}.yaml"
    return path if path.is_file() else None


def load_examples(path: Path, taxonomy: Taxonomy) -> tuple[Example, ...]:
    """Read examples from a YAML file: a list of mappings with a ``text`` and its ``levels`` by category.

    Raises:
        UserError: The file is missing or malformed, or an example lacks a category or has a level off its scale.
    """
    try:
        records = parse_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The examples {path} cannot be read: {error}.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise UserError(f"The examples {path}{describe(error)}") from None
    if not isinstance(records, list):
        raise UserError(f"{path} must hold a list of examples, each with a 'text' and its 'levels'.")
    return tuple(_example(record, taxonomy, f"{path}, example {n}") for n, record in enumerate(records, start=1))


def _example(record: Any, taxonomy: Taxonomy, where: str) -> Example:  # noqa: ANN401 - any YAML value
    text = record.get("text") if isinstance(record, Mapping) else None
    levels = record.get("levels") if isinstance(record, Mapping) else None
    if not isinstance(text, str) or not isinstance(levels, Mapping):
        raise UserError(f"{where} must have a 'text', a string, and 'levels' by category.")
    for name in levels:
        taxonomy[str(name)]  # an unknown category is told with the nearest one
    for category in taxonomy:
        if not category.has_level(levels.get(category.name)):
            raise UserError(f"{where} needs a level from 1 to {category.scale} for {category.name}.")
    return Example(text, {name: levels[name] for name in taxonomy.names})
