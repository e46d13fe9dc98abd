"""Reads YAML without its two traps: a key that stands twice is refused, and what was written can still be told.

PyYAML lets the last of two equal keys win in silence: a threshold written twice would count once, and not where its
author looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from babelguard.errors import UserError

Place: TypeAlias = tuple[Any, ...]
"""Keys and numbers that lead to a value, as YAML reads them: ``("block_lists", 0, "name")``."""

_MERGE = "tag:yaml.org,2002:merge"


@dataclass(frozen=True)
class YamlMapping:
    """A YAML file that holds a mapping.

    Attributes:
        content: What it says.
        lines: Place of a value -> line of its key, or of the value itself in a list, from 1.
        written: Place of a plain value -> its letters in the file, which ``1.10`` and ``no`` lose when they are read.
    """

    content: dict[str, Any]
    lines: Mapping[Place, int]
    written: Mapping[Place, str]

    def line(self, place: Place) -> int | None:
        """Return the line of a place, or of the nearest place around it; `None` where the file says nothing of it."""
        for end in range(len(place), 0, -1):
            if (found := self.lines.get(place[:end])) is not None:
                return found
        return None


class DuplicateKeyError(yaml.MarkedYAMLError):
    """A key stands twice in one mapping."""


def read_mapping(path: Path) -> YamlMapping:
    """Read a YAML file that holds a mapping, with the lines of its values.

    Raises:
        UserError: It is missing, empty, not YAML, not a mapping, or says a key twice.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; recipes are YAML files, see the folder recipes/.") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8; save it in that encoding.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}; pass a YAML file.") from None
    try:
        content, lines, written = _parse(text)
    except RecursionError:
        raise UserError(f"{path} nests too deep to be read.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise UserError(f"{path}{describe(error)}") from None
    if content is None:
        raise UserError(f"{path} is empty; it must hold a mapping of keys to values.")
    if not isinstance(content, dict):
        raise UserError(f"{path} must hold a mapping of keys to values, found {type(content).__name__}.")
    return YamlMapping(content, lines, written)


def parse_yaml(text: str) -> Any:  # noqa: ANN401 - any YAML value
    """Return what YAML text says; `None` for none.

    Raises:
        yaml.YAMLError: It is not YAML, or says a key twice (`DuplicateKeyError`).
        ValueError: A value looks like a date and is none.
    """
    return _parse(text)[0]


def as_yaml(value: object) -> str:
    """Return a value as YAML has it on one line, its first 60 letters: ``.nan``, ``true``, ``'0.5'``."""
    told = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10_000)
    return f"{told.removesuffix('...' + chr(10)).strip():.60}"


def describe(error: yaml.YAMLError | ValueError) -> str:
    """Return what is wrong with a file, to stand behind its name: ``, line 3: this is not YAML: ...``."""
    mark = getattr(error, "problem_mark", None)
    line = f", line {mark.line + 1}" if mark is not None else ""
    problem = getattr(error, "problem", None) or error
    if isinstance(error, DuplicateKeyError):
        return f"{line}: {problem}."
    if isinstance(error, ValueError):
        return f": a value looks like a date and is none ({error}); write it in quotes."
    return f"{line}: this is not YAML: {problem}."


def _parse(text: str) -> tuple[Any, dict[Place, int], dict[Place, str]]:
    loader = yaml.SafeLoader(text)
    try:
        root = loader.get_single_node()
        lines: dict[Place, int] = {}
        written: dict[Place, str] = {}
        if root is None:
            return None, lines, written
        # Before anything is built: that writes keys of merged mappings (<<) into the nodes, which may repeat some.
        _look_through(root, loader, lines, written)
        return loader.construct_document(root), lines, written
    finally:
        loader.dispose()


def _look_through(root: yaml.Node, loader: yaml.SafeLoader, lines: dict[Place, int], written: dict[Place, str]) -> None:
    """Refuse keys that stand twice; note lines and letters of values. A value with an alias has its first place."""
    waiting: list[tuple[Place, yaml.Node]] = [((), root)]
    seen: set[int] = set()
    while waiting:
        place, node = waiting.pop()
        if isinstance(node, yaml.ScalarNode):
            written[place] = node.value
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            for number, item in enumerate(node.value):
                lines[*place, number] = item.start_mark.line + 1
                waiting.append(((*place, number), item))
        elif isinstance(node, yaml.MappingNode):
            for key, (key_node, value) in _keys(node, loader).items():
                lines[*place, key] = key_node.start_mark.line + 1
                waiting.append(((*place, key), value))


def _keys(node: yaml.MappingNode, loader: yaml.SafeLoader) -> dict[Any, tuple[yaml.Node, yaml.Node]]:
    found: dict[Any, tuple[yaml.Node, yaml.Node]] = {}
    for key_node, value in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            continue  # a list or mapping as a key is refused when it is built
        key = "<<" if key_node.tag == _MERGE else loader.construct_object(key_node)
        if key in found:
            first = found[key][0].start_mark.line + 1
            problem = f"the key {key_node.value!r} stands here again, first in line {first}; keep one of the two"
            raise DuplicateKeyError(problem=problem, problem_mark=key_node.start_mark)
        found[key] = (key_node, value)
    return found
