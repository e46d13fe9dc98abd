"""From items to what a trainer learns from: token ids, and labels that are the answer's tokens and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from babelguard.item import Item, Message, Role
from train.generative.form import Form, LeftOutError, levels_of

IGNORED = -100
"""Label of a token that has no part in the loss."""

Key: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Example:
    """One item to learn from.

    Attributes:
        item: The item's id.
        prompt: Tokens that are shown.
        answer: Tokens that are learnt, the end included.
    """

    item: str
    prompt: tuple[int, ...]
    answer: tuple[int, ...]

    @property
    def row(self) -> dict[str, list[int]]:
        """What `SFTTrainer` takes: the loss is on the answer alone."""
        return {
            "input_ids": [*self.prompt, *self.answer],
            "labels": [*[IGNORED] * len(self.prompt), *self.answer],
        }


@dataclass
class Tally:
    """What became of items.

    Attributes:
        left_out: Items that nothing is learnt from, by reason.
        cut: Items whose texts are shown without their ends.
    """

    left_out: Counter[str] = field(default_factory=Counter)
    cut: int = 0

    def remarks(self, what: str) -> list[str]:
        """Return sentences about it; `what` names the items, such as ``training items``."""
        said = [f"{count:,} {what} left out: {reason}." for reason, count in sorted(self.left_out.items())]
        if self.cut:
            said.append(f"{self.cut:,} {what} are longer than the window and shown without their ends.")
        return said


def make_examples(items: Iterable[Item], form: Form, tally: Tally) -> Iterator[Example]:
    """Yield an example for every item that something can be learnt from; the others are counted in the tally."""
    for item in items:
        levels = levels_of(item)
        try:
            answer = form.answer(levels)
            asked = form.ask(item, tuple(levels))
        except LeftOutError as reason:
            tally.left_out[str(reason)] += 1
            continue
        tally.cut += asked.cut
        yield Example(item.id, asked.ids, answer)


def in_context(items: Sequence[Item]) -> Iterator[Item]:
    """Yield each completion as the answer to its prompt, where the items hold both.

    Prompt and completion belong together if they share source_id, language and register.
    """
    prompts = prompts_of(items)
    for item in items:
        if item.role is Role.PROMPT or item.messages or key_of(item) not in prompts:
            continue
        yield replace(item, id=f"{item.id}@prompt", messages=(Message("user", prompts[key_of(item)].text),))


def prompts_of(items: Iterable[Item]) -> Mapping[Key, Item]:
    """Return the prompts by `key_of`."""
    return {key_of(item): item for item in items if item.role is Role.PROMPT and not item.messages}


def key_of(item: Item) -> Key:
    """Return what a prompt and its completions share: source_id, language and register."""
    return item.source_id, item.language, item.register
