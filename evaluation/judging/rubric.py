"""A rubric: the text that tells a judge what to rate, on which scales, and how to answer.

It is a template with five variables, as in RTP-LX (de Wynter et al., 2025): TYPE (what the item is), CATEGORIES,
VALUES, EXAMPLES and PROMPT (the item). A file that ends in ``.j2`` is a Jinja template. In any other file ``$TYPE``,
``$PROMPT`` and so on stand for the same, as in the prompt that RTP-LX published.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import TemplateError, meta

from babelguard.checksums import hash_of
from babelguard.errors import UserError, unknown_name
from babelguard.item import Item, Role
from babelguard.taxonomy import Taxonomy
from babelguard.template_errors import TEMPLATE_ERRORS
from evaluation.judging.examples import TEMPLATES, Example
from evaluation.judging.labels import labels_of
from evaluation.judging.quoting import content_of, quoted, type_of
from evaluation.judging.sandbox import MOST_CHARACTERS, filled, rubric_environment

VARIABLES = ("TYPE", "CATEGORIES", "VALUES", "EXAMPLES", "PROMPT")
OWN_RUBRIC = TEMPLATES / "rubric.j2"
OWN_VALUES = TEMPLATES / "values.txt"
_TRIAL = Item(id="trial", source="trial", source_id="trial", text="Good morning.", language="en", role=Role.PROMPT)
_PLACEHOLDER = re.compile(r"\$(?:([A-Z][A-Z_]*)\b|\{([A-Z][A-Z_]*)\})")


@dataclass(frozen=True)
class Rubric:
    """A rubric for one taxonomy.

    Attributes:
        taxonomy: The categories.
        fill: Returns the template's text with the variables in place.
        labels: Category -> how the rubric names it in answers.
        values: What VALUES stands for.
        examples: What EXAMPLES stands for.
        sets_apart: Whether every line of an item is marked; not in a file of the ``$NAME`` form, which is taken as it
            was published.
        fingerprint: Hash (16 hex digits) of all of this.
    """

    taxonomy: Taxonomy
    fill: Callable[[Mapping[str, Any]], str]
    labels: Mapping[str, str]
    values: str
    sets_apart: bool
    fingerprint: str
    examples: tuple[Example, ...] = field(default=())

    def render(self, item: Item) -> str:
        """Return the whole prompt for one item. The item is a value in it and is never read as a template."""
        show = quoted if self.sets_apart else str
        return self.fill(
            {
                "TYPE": type_of(item),
                "CATEGORIES": [
                    {"label": self.labels[c.name], "title": c.title, "definition": c.definition, "levels": c.levels}
                    for c in self.taxonomy
                ],
                "VALUES": self.values,
                "EXAMPLES": [{"text": show(e.text), "lines": self._lines(e.levels)} for e in self.examples],
                "PROMPT": show(content_of(item)),
            }
        )

    def opening_of(self, prompt: str) -> str:
        """Return the label with which a prompt opens the answer, as that of RTP-LX does; empty if with none."""
        last = prompt.rstrip().rsplit("\n", 1)[-1].strip()
        return last if last == f"{next(iter(self.labels.values()))}:" else ""

    def _lines(self, levels: Mapping[str, int]) -> list[str]:
        return [f"{self.labels[name]}: {level}" for name, level in levels.items()]


def load_rubric(
    taxonomy: Taxonomy,
    path: Path = OWN_RUBRIC,
    labels: Mapping[str, str] | None = None,
    values: Path = OWN_VALUES,
    examples: tuple[Example, ...] = (),
) -> Rubric:
    """Read a rubric.

    Args:
        taxonomy: The categories.
        path: The template.
        labels: Category -> its name in answers, where it is not the category's own.
        values: A text file.
        examples: Rated examples.

    Raises:
        UserError: A file cannot be read, the template is broken, lacks PROMPT or has an unknown variable, or the
            parser would not know a label.
    """
    template, said = _read(path, "rubric"), _read(values, "values").strip()
    fill = _jinja(template, path) if path.suffix == ".j2" else _dollars(template, path)
    named = _labels(taxonomy, labels or {})
    shown = [[example.text, dict(example.levels)] for example in examples]
    categories = [[c.name, c.title, c.definition, list(c.levels)] for c in taxonomy]
    rubric = Rubric(
        taxonomy=taxonomy,
        fill=fill,
        labels=named,
        values=said,
        sets_apart=path.suffix == ".j2",
        fingerprint=hash_of("rubric", 1, template, path.suffix == ".j2", said, shown, named, categories),
        examples=examples,
    )
    rubric.render(_TRIAL)  # what goes wrong in it shows before a model is loaded
    return rubric


def _read(path: Path, what: str) -> str:
    try:
        with path.open(encoding="utf-8") as stream:
            text = stream.read(MOST_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The {what} file {path} cannot be read: {error}.") from None
    if len(text) > MOST_CHARACTERS:
        raise UserError(f"The {what} file {path} has more than {MOST_CHARACTERS:,} characters; give a shorter one.")
    return text


def _labels(taxonomy: Taxonomy, given: Mapping[str, str]) -> dict[str, str]:
    for name in given:
        taxonomy[name]  # an unknown category is told with the nearest one
    named = {name: given.get(name, name) for name in taxonomy.names}
    for name, label in named.items():
        if labels_of(taxonomy).named(label) != name:
            raise UserError(
                f"The label {label!r} of {name} is none that answers are read by; use the category's name or title."
            )
    return named


def _jinja(text: str, path: Path) -> Callable[[Mapping[str, Any]], str]:
    environment = rubric_environment()
    try:
        template = environment.from_string(text)
        used = meta.find_undeclared_variables(environment.parse(text))
    except TemplateError as error:
        raise UserError(f"{path}, line {getattr(error, 'lineno', 1)}: {str(error).rstrip('.')}; mend it.") from None
    _check_variables(used, path)

    def fill(values: Mapping[str, Any]) -> str:
        try:
            return filled(template, values)
        except TEMPLATE_ERRORS as error:
            reason = str(error).rstrip(".")
            raise UserError(f"The rubric {path} cannot be filled in: {reason}; mend its expressions.") from None

    return fill


def _dollars(text: str, path: Path) -> Callable[[Mapping[str, Any]], str]:
    _check_variables({found[1] or found[2] for found in _PLACEHOLDER.finditer(text)}, path)

    def fill(values: Mapping[str, Any]) -> str:
        plain = {**values, "CATEGORIES": _categories(values), "EXAMPLES": _examples(values)}
        return _PLACEHOLDER.sub(lambda found: str(plain[found[1] or found[2]]), text)

    return fill


def _check_variables(used: set[str], path: Path) -> None:
    for name in sorted(used - set(VARIABLES)):
        raise UserError(f"{path}: {unknown_name('variable of a rubric', name, VARIABLES)}")
    if "PROMPT" not in used:
        raise UserError(f"The rubric {path} has no place for the item; put PROMPT into it.")


def _categories(values: Mapping[str, Any]) -> str:
    blocks = []
    for category in values["CATEGORIES"]:
        levels = [f"{number}. {level}" for number, level in enumerate(category["levels"], start=1)]
        blocks.append("\n".join([f"## {category['label']}", category["definition"], *levels]))
    return "\n\n".join(blocks)


def _examples(values: Mapping[str, Any]) -> str:
    blocks = (["Text: " + example["text"], "", "Response:", *example["lines"]] for example in values["EXAMPLES"])
    return "\n\n".join("\n".join(block) for block in blocks)
