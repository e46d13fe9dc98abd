"""The prompt of a guard in Llama Guard's format, as one Jinja template that every backend can render.

The base model's own chat template, or nothing for a base model, is put around our words once, at the beginning of a
training. What comes out is the chat template of the guard: the same text in training, in `evaluation` and in vLLM.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from babelguard.taxonomy import Taxonomy
from evaluation.guarding.layout import holder
from evaluation.judging.layout import Layout

CATEGORIES = "categories"
"""Variable of the template: the categories to list, each with a code and a title; all of them if it is not given."""


def codes_of(taxonomy: Taxonomy) -> dict[str, str]:
    """Return the code of every category: S1, S2, ... in the taxonomy's order."""
    return {name: f"S{number}" for number, name in enumerate(taxonomy.names, start=1)}


def listing(taxonomy: Taxonomy, names: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the value of the variable `CATEGORIES` for some categories."""
    codes = codes_of(taxonomy)
    return [{"code": codes[name], "title": taxonomy[name].title} for name in taxonomy.names if name in names]


def guard_template(
    tokenizer: Any,  # noqa: ANN401 - a transformers tokenizer
    taxonomy: Taxonomy,
    layout: Layout,
    body: Path,
    template_options: dict[str, Any],
) -> str:
    """Return the guard's chat template.

    Args:
        tokenizer: Its chat template is put around the body in the layout `chat`.
        taxonomy: The categories that the template lists.
        layout: chat, or completion for a base model.
        body: Jinja text with ``messages`` and ``listed``.
        template_options: Variables of the base model's chat template; they are fixed in the result.

    Raises:
        UserError: The file cannot be read, or the tokenizer has no usable chat template.
    """
    try:
        words = body.read_text(encoding="utf-8").strip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The guard's prompt {body} cannot be read: {error}.") from None
    for variable in ("messages", "listed"):
        if not re.search(rf"\b{variable}\b", words):
            raise UserError(f"The guard's prompt {body} does not use {variable!r}, without which it shows too little.")
    head, tail = _around(tokenizer, template_options) if layout == "chat" else _plain(tokenizer)
    given = _jinja_value(listing(taxonomy, taxonomy.names))
    return f"{{%- set listed = {CATEGORIES} | default({given}) -%}}\n{_literal(head)}{words}{_literal(tail)}"


def _around(tokenizer: Any, options: dict[str, Any]) -> tuple[str, str]:  # noqa: ANN401 - a transformers tokenizer
    from jinja2.exceptions import TemplateError

    if not tokenizer.chat_template:
        raise UserError(
            f"The model {tokenizer.name_or_path} has no chat template, so it is no chat model; "
            "set 'model.layout: completion', or give a chat model."
        )
    turns = [{"role": "user", "content": holder(0)}]
    try:
        text: str = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **options)
    except TemplateError as error:
        raise UserError(f"The chat template of {tokenizer.name_or_path} refuses the prompt: {error}.") from None
    head, found, tail = text.partition(holder(0))
    if not found:
        raise UserError(
            f"The chat template of {tokenizer.name_or_path} does not show a user's turn of plain text; "
            "set 'model.layout: completion'."
        )
    return head, tail


def _plain(tokenizer: Any) -> tuple[str, str]:  # noqa: ANN401 - a transformers tokenizer
    return tokenizer.bos_token or "", "\n"


def _literal(text: str) -> str:
    """Return Jinja that prints a text as it is."""
    return f"{{{{ {_jinja_value(text)} }}}}" if text else ""


def _jinja_value(value: Any) -> str:  # noqa: ANN401 - plain values
    """Return a plain value as Jinja writes it; strings in ASCII, with the escapes that its lexer knows."""
    if isinstance(value, str):
        escaped = value.encode("unicode_escape").decode("ascii").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_jinja_value(k)}: {_jinja_value(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(map(_jinja_value, value)) + "]"
