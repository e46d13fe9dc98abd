"""Where a rubric's template runs: it can make text, and no more of it than a rubric needs.

A rubric may come from anywhere. The sandbox of Jinja keeps it from everything but text; what is here keeps it from
filling memory with that. What a template gathers before it writes it (in a ``set`` block, a macro, or by ``~`` time and
again) is not counted until it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import StrictUndefined, Template
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

MOST_CHARACTERS = 1_000_000
"""A rubric's file, and what its template writes beside the item's own text, has at most so many characters."""

_LARGEST_POWER = 64
_PADDING = frozenset({"center", "expandtabs", "format", "format_map", "ljust", "rjust", "zfill"})


class _RubricEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox in which texts and lists are not multiplied or padded."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401
        if not (isinstance(left, int | float) and isinstance(right, int | float)):
            raise SecurityError(f"{operator} is for numbers in a rubric, not for texts or lists")
        if operator == "**" and not (abs(left) <= _LARGEST_POWER and abs(right) <= _LARGEST_POWER):
            raise SecurityError(f"a power of numbers above {_LARGEST_POWER}")
        return super().call_binop(context, operator, left, right)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ANN401
        return not (isinstance(obj, str) and attr in _PADDING) and super().is_safe_attribute(obj, attr, value)


def rubric_environment() -> ImmutableSandboxedEnvironment:
    """Return the environment of rubrics: an unknown name is an error, and blocks leave no empty lines."""
    environment = _RubricEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    for name in ("center", "format", "indent"):
        del environment.filters[name]
    for name in ("lipsum", "namespace"):
        del environment.globals[name]
    return environment


def filled(template: Template, values: Mapping[str, Any]) -> str:
    """Return a template's text.

    Raises:
        SecurityError: It has more than `MOST_CHARACTERS` beside four times the item's text.
    """
    left = MOST_CHARACTERS + 4 * len(values["PROMPT"])
    pieces = []
    for piece in template.generate(**values):
        left -= len(piece)
        if left < 0:
            raise SecurityError(f"it writes more than {MOST_CHARACTERS:,} characters beside the item")
        pieces.append(piece)
    return "".join(pieces)
