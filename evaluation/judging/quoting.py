"""Sets a text apart from the prompt around it, in a way that the text cannot undo."""

from __future__ import annotations

import re

from babelguard.item import Item, Role

MARK = "| "
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_TYPES = {
    Role.PROMPT: "prompt",
    Role.COMPLETION: "completion",
    Role.BENIGN_COMPLETION: "completion",
    Role.RESPONSE: "response",
}


def quoted(text: str) -> str:
    """Return the text with a mark before every line, whatever ends its lines.

    A closing delimiter could be a part of the text; the mark cannot be left out by it.
    """
    return "\n".join(MARK + line for line in _LINE_END.split(text))


def content_of(item: Item) -> str:
    """Return what is to be rated: the text, or the turns of a conversation with their roles."""
    if not item.messages:
        return item.text
    turns = [f"{message.role}: {message.content}" for message in item.messages]
    return "\n".join([*turns, *([item.text] if item.text else [])])


def type_of(item: Item) -> str:
    """Return what a rubric calls the item: prompt, completion, response or conversation."""
    return "conversation" if item.messages else _TYPES[item.role]
