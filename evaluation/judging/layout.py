"""How a rubric's text is put to a model: as a turn of a chat, or as a beginning to go on with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from babelguard.generator import Prompt
from babelguard.item import Message

Layout: TypeAlias = Literal["chat", "completion"]


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A rendered rubric, ready for a model.

    Attributes:
        prompt: For generation. A base model's ends where its answer begins, behind the opening label if there is one.
        opening: The label that the prompt gave away; it belongs to the answer when that is read.
        scored: For constrained scoring, where the labels are forced: a base model's ends before the first one.
        before: The text that a forced answer follows directly.
    """

    prompt: Prompt
    opening: str
    scored: Prompt
    before: str


def lay_out(layout: Layout, text: str, opening: str) -> LaidOut:
    """Lay a rendered rubric out.

    Args:
        layout: ``chat`` makes it one turn of a user, ``completion`` a text.
        text: The rendered rubric; white space at its end is left out, since tokens of answers begin with their own.
        opening: The label at its end that opens the answer; empty if there is none.
    """
    text = text.rstrip()
    if layout == "chat":
        prompt = Prompt(messages=(Message("user", text),))
        return LaidOut(prompt, opening, prompt, "")
    stem = text.removesuffix(opening).rstrip() + "\n"
    return LaidOut(Prompt(text=stem + opening), opening, Prompt(text=stem), "\n")


def default_stop(layout: Layout) -> Sequence[str]:
    """Return where generation stops beside the model's own end: a base model would make up further texts."""
    return () if layout == "chat" else ("\n\n",)
