"""Verdict: what the guard and the policy say about one text, with all that a page shows of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from babelguard.errors import UserError
from babelguard.languages import language

if TYPE_CHECKING:
    from serve.guard import Guard, GuardRating
    from serve.language_identification import LanguageIdentifier
    from serve.policies import Decider, PolicyStore
    from serve.policies.deciding import Rule

ALLOW, FLAG, BLOCK = "allow", "flag", "block"


@dataclass(frozen=True, slots=True)
class Threshold:
    """From where on a category is flagged or blocked.

    Attributes:
        action: ``flag`` or ``block``.
        probability: The probability from which the action is taken; `None` where the policy goes by levels.
        words: The condition in words.
    """

    action: str
    probability: float | None
    words: str


@dataclass(frozen=True, slots=True)
class CategoryVerdict:
    """One category of a verdict.

    Attributes:
        name: Its name in tables.
        title: Its name for people.
        level: The level given, from 1.
        scale: The highest level.
        probability: Calibrated P(level > above), 0-1: what the flag threshold is held against.
        above: The level that must be exceeded for a flag.
        thresholds: From where on it is flagged and blocked, the mildest action first; empty: never.
        action: ``allow``, ``flag`` or ``block``.
        trigger: First character and the one behind the last of the window that scored highest.
    """

    name: str
    title: str
    level: int
    scale: int
    probability: float
    above: int
    thresholds: tuple[Threshold, ...]
    action: str
    trigger: tuple[int, int]

    @property
    def flagged(self) -> bool:
        """Whether the category is flagged or blocked."""
        return self.action != ALLOW

    @property
    def threshold(self) -> float | None:
        """The lowest probability at which anything is done; `None` where nothing depends on it."""
        return min((t.probability for t in self.thresholds if t.probability is not None), default=None)

    @property
    def weight(self) -> float:
        """How close the category is to being flagged: the probability over its threshold, whatever the category."""
        return self.probability / max(self.threshold or 1.0, 1e-9) + self.flagged


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard and the policy say about one text.

    Attributes:
        text: The text, lone surrogates read as U+FFFD.
        asked: The language that the text was said or found to be in; `None` where nobody knows.
        found: Whether the language was identified and not said.
        language: The guard's tag of the language whose thresholds were used; `None`: those pooled over languages.
        own_thresholds: Whether the guard has thresholds or calibration of the language's own.
        windows: Windows in which the text was read; 0 where it has no token.
        action: ``allow``, ``flag`` or ``block``.
        lists: Names of the policy's lists that decided, with what they did.
        categories: One verdict a category, in the taxonomy's order.
    """

    text: str
    asked: str | None
    found: bool
    language: str | None
    own_thresholds: bool
    windows: int
    action: str
    lists: tuple[str, ...]
    categories: tuple[CategoryVerdict, ...]

    @property
    def flags(self) -> tuple[CategoryVerdict, ...]:
        """The flagged categories, blocked ones first, then the one furthest above its threshold."""
        flagged = (category for category in self.categories if category.flagged)
        return tuple(sorted(flagged, key=lambda category: (category.action != BLOCK, -category.weight)))

    @property
    def flagged(self) -> bool:
        """Whether the text is flagged or blocked."""
        return self.action != ALLOW

    @property
    def leading(self) -> CategoryVerdict:
        """The category closest to, or furthest above, its threshold."""
        return max(self.categories, key=lambda category: category.weight)

    @property
    def levels(self) -> dict[str, int]:
        """Category -> level."""
        return {category.name: category.level for category in self.categories}


@dataclass(frozen=True)
class Moderator:
    """A guard and the policy that acts on its ratings; shared by all sessions, changed by none.

    Attributes:
        guard: The guard.
        policies: Holds the policy in force; whoever made it may read it anew when its file changes.
        identifier: Tells the language of texts whose sender does not.
    """

    guard: Guard
    policies: PolicyStore
    identifier: LanguageIdentifier

    @classmethod
    def of(cls, guard: Guard, policy: PolicyStore | Path | None = None) -> Moderator:
        """Return a moderator with a policy or its file; with the default one, the guard's own thresholds, if `None`.

        Raises:
            UserError: The policy cannot be read, or does not fit the guard.
        """
        from serve.language_identification import LanguageIdentifier
        from serve.policies import DEFAULT_POLICY, PolicyStore

        store = policy if isinstance(policy, PolicyStore) else PolicyStore(policy or DEFAULT_POLICY, guard.bundle)
        return cls(guard, store, LanguageIdentifier())

    def find_language(self, text: str) -> str | None:
        """Return the tag of the language that a text seems to be in; `None` where it does not tell."""
        return self.identifier.identify(text).tag

    def judge(self, text: str, asked: str | None = None, *, found: bool = False) -> Verdict:
        """Rate one text.

        Args:
            text: The text.
            asked: Code of its language; `None` where nobody knows.
            found: Whether the language was identified and not said.
        """
        return self.judge_all([text], [asked], found=found)[0]

    def judge_all(self, texts: Sequence[str], asked: Sequence[str | None], *, found: bool = False) -> list[Verdict]:
        """Rate several texts in one go, each with the code of its language."""
        ratings = self.guard.rate(texts, asked)
        decider = self.policies.decider  # one policy for all of them, whatever happens meanwhile
        return [self._verdict(*each, found, decider) for each in zip(texts, asked, ratings, strict=True)]

    def _verdict(self, text: str, code: str | None, rating: GuardRating, found: bool, decider: Decider) -> Verdict:
        decision = decider.decide(text, rating, code)
        rules = decider.rules(code)
        own = self.guard.calibrator.flag_thresholds(rating.language)
        above = self.guard.bundle.thresholds.flags.above
        categories = []
        for category in self.guard.bundle.categories:
            name = category.name
            held_against = _above(rules[name], above[name])
            probabilities = rating.probabilities[name]
            categories.append(
                CategoryVerdict(
                    name=name,
                    title=category.title,
                    level=rating.levels[name],
                    scale=category.scale,
                    probability=probabilities[min(held_against, len(probabilities)) - 1],
                    above=held_against,
                    thresholds=_thresholds(rules[name], own[name]),
                    action=decision.categories[name].value,
                    trigger=rating.triggers[name],
                )
            )
        return Verdict(
            text=_replaced(text) if rating.replaced else text,
            asked=code,
            found=found and code is not None,
            language=rating.language,
            own_thresholds=not self.guard.calibrator.is_pooled(rating.language),
            windows=rating.windows,
            action=decision.action.value,
            lists=tuple(_list_words(rule.source, rule.action.value) for rule in decision.rules if not rule.category),
            categories=tuple(categories),
        )

    @property
    def policy_name(self) -> str:
        """Name and version of the policy."""
        document = self.policies.decider.policy.document
        return f"{document.name} {document.version}"

    @property
    def facts(self) -> Mapping[str, str]:
        """What names the guard in exported files."""
        manifest = self.guard.bundle
        return {"name": manifest.name, "version": manifest.version, "policy": self.policy_name}


def language_name(code: str | None) -> str:
    """Return the English name of a language, or its code where the table lacks it; empty if there is none."""
    if code is None:
        return ""
    try:
        return language(code).name
    except UserError:
        return code


def _above(rules: Sequence[Rule], own: int) -> int:
    """Return the level whose exceedance the mildest rule by probability is held against."""
    by_probability = [rule.above for rule in rules if rule.kind == "probability"]
    return own if any(rule.kind == "guard" for rule in rules) or not by_probability else by_probability[-1]


def _thresholds(rules: Sequence[Rule], own: float) -> tuple[Threshold, ...]:
    found = []
    for rule in reversed(rules):
        verb = f"{rule.action.value}s"
        if rule.kind == "level":
            found.append(Threshold(rule.action.value, None, f"{verb} from level {rule.threshold:g}"))
            continue
        probability = own if rule.kind == "guard" else rule.threshold
        words = f"{verb} from {probability:.2f}" if probability <= 1 else f"never {verb}"
        found.append(Threshold(rule.action.value, min(probability, 1.0), words))
    return tuple(found)


def _list_words(source: str, action: str) -> str:
    kind, _, name = source.partition(".")
    return f"the {kind.removesuffix('s').replace('_', '-')} {name} ({action})"


def _replaced(text: str) -> str:
    """Return the text with lone surrogates, which no page can show, as U+FFFD."""
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
