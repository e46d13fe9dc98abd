"""What a Jinja template can raise: its own errors, and those of the expressions in it."""

from __future__ import annotations

from jinja2 import TemplateError

TEMPLATE_ERRORS: tuple[type[Exception], ...] = (
    TemplateError,
    ArithmeticError,  # a division by zero, a range that the sandbox finds too large
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Rubrics and chat templates are a user's or a publisher's; what goes wrong in one is told as a sentence."""
