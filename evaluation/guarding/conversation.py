"""From an item to what a guard is shown: whose text is rated, and the turns before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from babelguard.item import Item, Role
from babelguard.local_models.encoding import valid_unicode
from evaluation.guarding.form import Target

Shown = Literal["all", "last-pair"]
WithoutPrompt = Literal["as-prompt", "empty-prompt"]

RESPONSES = frozenset({Role.COMPLETION, Role.BENIGN_COMPLETION, Role.RESPONSE})


@dataclass(frozen=True, slots=True)
class Exchange:
    """Turns that alternate between user and assistant, the user's first.

    Attributes:
        texts: The turns, oldest first; the last one is rated.
        target: Whether the rated turn is a prompt (the user's) or a response (the assistant's).
        remarks: What a reader of the rating must know, for example that earlier turns are not shown.
    """

    texts: tuple[str, ...]
    target: Target
    remarks: tuple[str, ...] = ()

    @property
    def roles(self) -> tuple[Literal["user", "assistant"], ...]:
        """Who says what."""
        return tuple("user" if number % 2 == 0 else "assistant" for number in range(len(self.texts)))


def exchange_of(item: Item, shown: Shown = "all", without_prompt: WithoutPrompt = "as-prompt") -> Exchange:
    """Return what a guard is shown of an item.

    The item's messages are the conversation; where the item has a text too, it is the turn after them, the assistant's
    if the item's role says so. Neighbouring turns of one speaker become one; turns of others than user and assistant
    are left out and remarked. White space around a turn is left off, as published templates do.

    Args:
        item: The item.
        shown: All turns, or the rated one and, for a response, the one before.
        without_prompt: What is done with a response whose prompt is not known: it is rated as if a user had written it,
            or as the answer to an empty turn.
    """
    turns, remarks = _turns(item)
    if turns and turns[0][0] == "assistant":
        if without_prompt == "empty-prompt":
            turns.insert(0, ("user", ""))
            remarks.append("the prompt is not known: rated as the answer to an empty turn")
        elif len(turns) == 1:
            turns = [("user", turns[0][1])]
            remarks.append("the prompt is not known: rated as a user's turn")
        else:
            turns = turns[1:]
            remarks.append("the conversation's first turn is an assistant's and is not shown")
    target: Target = "response" if len(turns) > 1 and turns[-1][0] == "assistant" else "prompt"
    if shown == "last-pair":
        kept = turns[-2:] if target == "response" else turns[-1:]
        if len(kept) < len(turns):
            remarks.append(f"{len(turns) - len(kept)} earlier turns are not shown to this guard")
        turns = kept
    return Exchange(tuple(text for _, text in turns) or ("",), target, tuple(remarks))


def _turns(item: Item) -> tuple[list[tuple[str, str]], list[str]]:
    said = [(message.role, message.content) for message in item.messages]
    if item.text and (not said or said[-1][1] != item.text):
        said.append(("assistant" if item.role in RESPONSES else "user", item.text))
    turns: list[tuple[str, str]] = []
    remarks: list[str] = []
    for role, text in said:
        speaker = {"user": "user", "human": "user", "assistant": "assistant", "model": "assistant"}.get(role)
        if speaker is None:
            remarks.append("turns of other speakers than user and assistant are not shown")
            continue
        clean = valid_unicode(text).strip()
        if clean != text.strip():
            remarks.append("lone surrogates are shown as U+FFFD")
        if turns and turns[-1][0] == speaker:
            clean = f"{turns.pop()[1]}\n\n{clean}".strip()
        turns.append((speaker, clean))
    return turns, list(dict.fromkeys(remarks))
