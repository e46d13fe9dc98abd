"""What changes between two policies: the texts whose action flips, by language, and the rules that did it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from serve.policies.deciding import Decider, Decision, MatchedRule, Rated
from serve.policies.document import Action

UNKNOWN = "unknown"
"""Stands for the language of a text that names none."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A text that two policies treat differently.

    Attributes:
        id: The text's id.
        language: Its language, or `UNKNOWN`.
        before: What the old policy does.
        after: What the new policy does.
        because: The rules that differ: those of the new policy where it is stricter, else those of the old one that
            no longer hold.
    """

    id: str
    language: str
    before: Action
    after: Action
    because: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the flip as plain JSON values; it holds no text."""
        return {
            "id": self.id,
            "language": self.language,
            "before": self.before.value,
            "after": self.after.value,
            "because": list(self.because),
        }


@dataclass
class Comparison:
    """Counts of what two policies do.

    Attributes:
        items: Language -> texts.
        actions: (language, old action, new action) -> texts.
        causes: (language, rule in words, old action, new action) -> flips for which it is a cause.
    """

    items: Counter[str] = field(default_factory=Counter)
    actions: Counter[tuple[str, Action, Action]] = field(default_factory=Counter)
    causes: Counter[tuple[str, str, Action, Action]] = field(default_factory=Counter)

    def flips(self, language: str | None = None) -> int:
        """Return the number of flips in one language, or in all."""
        return sum(
            count for (tag, before, after), count in self.actions.items() if before != after and language in {None, tag}
        )

    def rate(self, action: Action, language: str, *, new: bool) -> float:
        """Return the share of a language's texts that get an action from the new or from the old policy."""
        counted = sum(
            count
            for (tag, before, after), count in self.actions.items()
            if tag == language and (after if new else before) == action
        )
        return counted / self.items[language]


def compare(
    rated: Iterable[tuple[str, str, str | None, Rated]], old: Decider, new: Decider, comparison: Comparison
) -> Iterator[Flip]:
    """Apply both policies to rated texts, count what they do, and yield the flips.

    Args:
        rated: (id, text, language or `None`, rating) each.
        old: The policy that is in force.
        new: The policy that is to be.
        comparison: What is counted is added to it.
    """
    for name, text, language, rating in rated:
        before, after = old.decide(text, rating, language), new.decide(text, rating, language)
        tag = language or UNKNOWN
        comparison.items[tag] += 1
        comparison.actions[tag, before.action, after.action] += 1
        if before.action == after.action:
            continue
        because = _because(before, after)
        for rule in because:
            comparison.causes[tag, rule, before.action, after.action] += 1
        yield Flip(name, tag, before.action, after.action, because)


def _because(before: Decision, after: Decision) -> tuple[str, ...]:
    """Return the rules that explain a flip, in words.

    Stricter: the new policy's rules for the new action. Milder: the old policy's rules for the old action, and an
    allow-list of the new policy where that is what spoke.
    """
    if after.action.severity > before.action.severity:
        return tuple(f"now {_told(rule)}" for rule in after.rules if rule.action == after.action)
    allowing = tuple(f"now {_told(rule)}" for rule in after.rules if rule.action == Action.ALLOW)
    return allowing or tuple(f"no longer {_told(rule)}" for rule in before.rules if rule.action == before.action)


def _told(rule: MatchedRule) -> str:
    subject = f"{rule.category}: " if rule.category is not None else ""
    return f"{subject}{rule.condition} ({rule.source})"
