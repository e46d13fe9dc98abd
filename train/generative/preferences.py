"""Preference pairs from completions: the same prompt with one answer to prefer and one to avoid.

RTP-LX gives a benign completion beside the toxic one of nearly every prompt. That invites a pair for each of the two.
To prefer is what people say of the completion that is shown. To avoid is what they say of the *other* completion of the
same prompt: what a guard would say that judges the prompt, or the topic, and not the completion before it.

- A benign completion behind a toxic prompt: prefer ``safe`` (or ones throughout) to the toxic completion's verdict.
  This is the over-refusal that supervised learning alone leaves, because the prompt's words are the same in both.
- A toxic completion: prefer its verdict and codes (or levels) to ``safe``. Without these, the pairs would teach nothing
  but ``safe``.

Where the two answers are the same there is nothing to prefer, and the completion makes no pair. Prompts make none: they
have no counterpart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from babelguard.item import Item, Role
from train.generative.examples import Key, Tally, key_of
from train.generative.form import Form, LeftOutError, levels_of

NO_COUNTERPART = "no other completion of the same prompt"
SAME_ANSWER = "both completions of the prompt have the same answer"
_COUNTERPARTS = {Role.COMPLETION: Role.BENIGN_COMPLETION, Role.BENIGN_COMPLETION: Role.COMPLETION}


@dataclass(frozen=True, slots=True)
class Pair:
    """One preference.

    Attributes:
        item: Id of the completion that is shown.
        prompt: Tokens that are shown.
        chosen: Tokens of the answer to prefer, the end included.
        rejected: Tokens of the answer to avoid, the end included.
    """

    item: str
    prompt: tuple[int, ...]
    chosen: tuple[int, ...]
    rejected: tuple[int, ...]

    @property
    def row(self) -> dict[str, list[int]]:
        """What `DPOTrainer` works on behind its own tokenization."""
        return {
            "prompt_ids": list(self.prompt),
            "chosen_ids": list(self.chosen),
            "rejected_ids": list(self.rejected),
        }


def make_pairs(items: Sequence[Item], form: Form, tally: Tally) -> Iterator[Pair]:
    """Yield the pairs that completions make, in the items' order; those that make none are counted in the tally.

    Args:
        items: Items of the train split; completions may stand behind their prompts.
        form: The format of answers.
        tally: Takes the counts.
    """
    completions = _by_key(items)
    for item in items:
        if item.role not in _COUNTERPARTS:
            continue
        other = completions[_COUNTERPARTS[item.role]].get(key_of(item))
        if other is None:
            tally.left_out[NO_COUNTERPART] += 1
            continue
        levels, counter = levels_of(item), levels_of(other)
        covered = tuple(name for name in levels if name in counter)
        try:
            chosen = form.answer({name: levels[name] for name in covered})
            rejected = form.answer({name: counter[name] for name in covered})
            asked = form.ask(item, covered)
        except LeftOutError as reason:
            tally.left_out[str(reason)] += 1
            continue
        if chosen == rejected:
            tally.left_out[SAME_ANSWER] += 1
            continue
        tally.cut += asked.cut
        yield Pair(item.id, asked.ids, chosen, rejected)


def draw_pairs(pairs: Sequence[Pair], most: int | None) -> list[Pair]:
    """Return at most so many pairs, chosen by the hash of their items: a larger number keeps a smaller one's."""
    if most is None or len(pairs) <= most:
        return list(pairs)
    kept = {pair.item for pair in sorted(pairs, key=lambda pair: _digest(pair.item))[:most]}
    return [pair for pair in pairs if pair.item in kept]


def _by_key(items: Sequence[Item]) -> Mapping[Role, Mapping[Key, Item]]:
    return {role: {key_of(item): item for item in items if item.role is role} for role in _COUNTERPARTS}


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8"), digest_size=8).digest()
