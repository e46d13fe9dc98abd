"""Recipes: YAML files that describe one run, merged with overrides and validated before any work starts.

Precedence, strongest first: ``--set a.b=c`` on the command line, the environment variable ``BABELGUARD__A__B=c``,
the recipe file, the defaults of the model. A value ``${a.b}`` stands for what the recipe says at ``a.b``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_origin

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from babelguard.errors import UserError
from babelguard.yaml_reading import DuplicateKeyError, parse_yaml, read_mapping

ENVIRONMENT_PREFIX = "BABELGUARD__"
_REFERENCE = re.compile(r"\$\{([A-Za-z0-9_.]+)\}")


class ComponentRecipe(BaseModel):
    """Base of a part of a recipe that names an entry of a registry; that entry's own options stand beside its keys."""

    model_config = ConfigDict(extra="allow", frozen=True, protected_namespaces=())

    @property
    def own_options(self) -> dict[str, Any]:
        """The keys that are the entry's to understand."""
        return dict(self.model_extra or {})


class RecipeModel(BaseModel):
    """Base of every part of a recipe: unknown keys are errors, values do not change once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())


ModelT = TypeVar("ModelT", bound=BaseModel)


def load_recipe(
    path: Path, model: type[ModelT], overrides: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> ModelT:
    """Read, merge and validate one recipe.

    Args:
        path: The YAML file.
        model: What it must describe.
        overrides: ``a.b=c`` each, the value in YAML; from the command line.
        environment: Environment variables, of which those with `ENVIRONMENT_PREFIX` count.

    Raises:
        UserError: The file, an override or a value is wrong; every problem is reported at once.
    """
    raw = read_yaml(path)
    for name, value in sorted((environment or {}).items()):
        if name.startswith(ENVIRONMENT_PREFIX):
            keys = [key.lower() for key in name.removeprefix(ENVIRONMENT_PREFIX).split("__")]
            set_at(raw, keys, _yaml_value(value, name), name)
    for override in overrides:
        dotted, equals, value = override.partition("=")
        if not equals or not dotted.strip():
            raise UserError(f"--set {override!r} is not of the form a.b=value.")
        set_at(raw, dotted.strip().split("."), _yaml_value(value, f"--set {dotted}"), f"--set {dotted}")
    return validate(resolve_references(raw, path), model, str(path))


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file that holds a mapping.

    Raises:
        UserError: It is missing, empty, not YAML, not a mapping, or says a key twice.
    """
    return read_mapping(path).content


def set_at(tree: dict[str, Any], keys: Sequence[str], value: object, origin: str) -> None:
    """Set the value at a path of keys in nested mappings and lists, making mappings on the way.

    Raises:
        UserError: The path leads through something that is neither.
    """
    node: Any = tree
    for depth, key in enumerate(keys):
        last = depth == len(keys) - 1
        if isinstance(node, list):
            if not key.isdecimal() or int(key) >= len(node):
                raise UserError(f"{origin}: {'.'.join(keys[:depth])} is a list of {len(node)}; there is no {key!r}.")
            place: Any = int(key)
        elif isinstance(node, dict):
            place = key
        else:
            raise UserError(f"{origin}: {'.'.join(keys[:depth])} is a plain value and has no key {key!r}.")
        if last:
            node[place] = value
        else:
            if isinstance(node, dict) and node.get(place) is None:
                node[place] = {}
            node = node[place]


def resolve_references(tree: dict[str, Any], path: Path) -> dict[str, Any]:
    """Replace every ``${a.b}`` by what the recipe says there.

    Raises:
        UserError: A reference leads nowhere or in a circle.
    """

    def look_up(dotted: str, seen: tuple[str, ...]) -> Any:  # noqa: ANN401 - any YAML value
        if dotted in seen:
            raise UserError(f"{path}: ${{{dotted}}} refers to itself.")
        node: Any = tree
        for key in dotted.split("."):
            if isinstance(node, list) and key.isdecimal() and int(key) < len(node):
                node = node[int(key)]
            elif isinstance(node, dict) and key in node:
                node = node[key]
            else:
                raise UserError(f"{path}: ${{{dotted}}} is not set; pass --set {dotted}=VALUE or add it to the recipe.")
        return replace(node, (*seen, dotted))

    def replace(node: Any, seen: tuple[str, ...]) -> Any:  # noqa: ANN401 - any YAML value
        if isinstance(node, dict):
            return {key: replace(value, seen) for key, value in node.items()}
        if isinstance(node, list):
            return [replace(value, seen) for value in node]
        if not isinstance(node, str):
            return node
        if whole := _REFERENCE.fullmatch(node):
            return look_up(whole[1], seen)
        return _REFERENCE.sub(lambda match: str(look_up(match[1], seen)), node)

    try:
        resolved: dict[str, Any] = replace(tree, ())
    except RecursionError:
        raise UserError(f"{path} holds an alias that contains itself; write the value out.") from None
    return resolved


def validate(
    raw: Mapping[str, Any], model: type[ModelT], origin: str, at: Sequence[str] = (), own_keys: Sequence[str] = ()
) -> ModelT:
    """Validate plain values against a recipe model.

    Args:
        raw: The values.
        model: What they must describe.
        origin: The file, for messages.
        at: Where in the recipe the values stand.
        own_keys: Further keys that are valid there, for messages.

    Raises:
        UserError: One line a problem, each with its key and, for an unknown key, the nearest valid one.
    """
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        problems = [problem_of(details, model, at, own_keys) for details in error.errors()]
        raise UserError(f"{origin}: " + "\n".join(problems)) from None


_PLAIN_WORDS = {
    "bool_type": "must be true or false",
    "dict_type": "must be a mapping of keys to values",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "list_type": "must be a list, such as [a, b]",
    "model_attributes_type": "must be a mapping of keys to values",
    "model_type": "must be a mapping of keys to values",
    "path_type": "must be a path",
    "string_type": "must be a text",
    "tuple_type": "must be a list, such as [a, b]",
}


def _yaml_value(text: str, origin: str) -> object:
    try:
        return parse_yaml(text)
    except DuplicateKeyError as error:
        raise UserError(f"{origin}: {error.problem}.") from None
    except (yaml.YAMLError, ValueError):
        raise UserError(f"{origin}: {text!r} is not a YAML value; quote it.") from None


def problem_of(
    details: Mapping[str, Any], model: type[BaseModel], at: Sequence[str] = (), own_keys: Sequence[str] = ()
) -> str:
    """Return pydantic's details of a mistake as a sentence with its key; `validate` describes the arguments."""
    location = list(details["loc"])
    dotted = ".".join(str(part) for part in (*at, *location))
    if details["type"] == "extra_forbidden":
        known = [*_fields_at(model, location[:-1]), *(own_keys if len(location) == 1 else ())]
        close = difflib.get_close_matches(str(location[-1]), known, n=1, cutoff=0.5)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        listed = f" Known keys: {', '.join(sorted(known))}." if known else ""
        return f"unknown key {dotted!r}.{hint}{listed}"
    if details["type"] == "missing":
        return f"{dotted} is not set; add it to the recipe or pass --set {dotted}=VALUE."
    message = _PLAIN_WORDS.get(details["type"], details["msg"].removeprefix("Value error, "))
    found = details.get("input")
    shown = f" (found {found!r:.60})" if isinstance(found, str | int | float | bool) else ""
    return f"{dotted}: {message[:1].lower()}{message[1:]}{shown}." if dotted else f"{message}."


def _fields_at(model: type[BaseModel], location: Iterable[str | int]) -> list[str]:
    current: Any = model
    keys = iter(location)
    for part in keys:
        if isinstance(part, int):
            continue
        field = getattr(current, "model_fields", {}).get(part)
        if field is None:
            return []
        current = next((a for a in _alternatives(field.annotation) if hasattr(a, "model_fields")), None)
        if get_origin(field.annotation) is dict:
            next(keys, None)  # a key of the author's own
    return list(getattr(current, "model_fields", {}))


def _alternatives(annotation: Any) -> list[Any]:  # noqa: ANN401 - a type expression
    arguments = getattr(annotation, "__args__", ())
    found = [annotation]
    for argument in arguments:
        found += _alternatives(argument)
    return found
