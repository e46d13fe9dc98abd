"""From a rating to a decision, with the rules that led to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from babelguard.errors import UserError
from babelguard.languages import UNDETERMINED, wider_language
from babelguard.languages import language as language_of_code
from serve.bundle import GuardManifest
from serve.policies.document import Action, BlockList, Conditions, FromLevel, FromProbability
from serve.policies.loading import Policy

_LONGEST_CODE = 35
_MOST_SPANS = 20


class Rated(Protocol):
    """What a policy looks at in a rating."""

    @property
    def levels(self) -> Mapping[str, int]:
        """Category -> level."""
        ...

    @property
    def probabilities(self) -> Mapping[str, tuple[float, ...]]:
        """Category -> P(level > 1), P(level > 2), ..."""
        ...

    @property
    def flagged(self) -> Mapping[str, bool]:
        """Category -> whether the guard's own threshold is reached."""
        ...


@dataclass(frozen=True, slots=True)
class MatchedRule:
    """A rule that held.

    Attributes:
        action: What it asks for.
        category: Its category; `None` for a list.
        condition: What held, in words: ``P(level > 1) >= 0.62``.
        source: Where the policy says so: ``categories.Toxicity.languages.de.flag``, ``block_lists.NAME``.
        value: The probability or level that was compared; `None` for a list.
        spans: For a list, the first and the one behind the last character of each hit.
    """

    action: Action
    category: str | None
    condition: str
    source: str
    value: float | None = None
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What is done about a text: the severest of its rules; an allow-list that holds the whole text overrules them.

    Attributes:
        action: What is done.
        categories: Category -> what its own rules ask for.
        rules: The rules that held, severest first.
        language: Tag of the text's language; `None` where it is not known, or none that Babelguard knows.
    """

    action: Action
    categories: Mapping[str, Action]
    rules: tuple[MatchedRule, ...]
    language: str | None


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition, resolved for one category and language."""

    action: Action
    category: str
    source: str
    kind: str
    threshold: float
    above: int

    @property
    def condition(self) -> str:
        """The condition in words."""
        if self.kind == "guard":
            return "the guard's own threshold"
        if self.kind == "level":
            return f"level >= {self.threshold:g}"
        return f"P(level > {self.above}) >= {self.threshold:g}"

    def match(self, rating: Rated) -> MatchedRule | None:
        """Return what held, if it holds."""
        if self.kind == "level":
            value = float(rating.levels[self.category])
        else:
            probabilities = rating.probabilities[self.category]
            value = probabilities[self.above - 1] if self.above <= len(probabilities) else 0.0
        holds = rating.flagged[self.category] if self.kind == "guard" else value >= self.threshold
        return MatchedRule(self.action, self.category, self.condition, self.source, value) if holds else None


class Decider:
    """Applies one policy to the ratings of one guard. May be used from several threads at a time."""

    def __init__(self, policy: Policy, guard: GuardManifest) -> None:
        self.policy = policy
        self._names = guard.category_names
        self._flags_above = guard.thresholds.flags.above
        self._rules: dict[str | None, tuple[tuple[Rule, ...], ...]] = {None: self._resolve(None)}
        document = policy.document
        spoken = {*document.every_category.languages}
        spoken |= {tag for each in document.categories.values() for tag in each.languages}
        self._rules |= {tag: self._resolve(tag) for tag in sorted(spoken)}
        self._tag = lru_cache(maxsize=4096)(_tag)

    def rules(self, language: str | None = None) -> dict[str, tuple[Rule, ...]]:
        """Return the rules of each category for texts in a language, the severest first."""
        return dict(zip(self._names, self._rules_for(self._known(language)), strict=True))

    @property
    def rules_by_language(self) -> dict[str | None, dict[str, tuple[Rule, ...]]]:
        """Tag of a language with rules of its own -> the rules of each category; `None` stands for all others.

        `UNDETERMINED` stands for texts whose language is not known.
        """
        return {tag: dict(zip(self._names, rules, strict=True)) for tag, rules in self._rules.items()}

    @property
    def remark(self) -> str | None:
        """What its author may not have meant, in a sentence: that no text can be flagged or blocked."""
        if self.policy.block_lists or any(any(rules) for rules in self._rules.values()):
            return None
        return (
            f"The policy {self.policy.name} has no rule and no block-list: it allows everything. "
            "`every_category: {flag: guard}` flags what the guard flags."
        )

    def decide(self, text: str, rating: Rated, language: str | None = None) -> Decision:
        """Return what the policy does about a text.

        Args:
            text: The text, for the lists.
            rating: What the guard says about it.
            language: Code of its language, in any system; `None` if it is not known.
        """
        tag = self._known(language)
        categories: dict[str, Action] = {}
        matched: list[MatchedRule] = []
        for name, rules in zip(self._names, self._rules_for(tag), strict=True):
            held = next((found for rule in rules if (found := rule.match(rating)) is not None), None)
            categories[name] = held.action if held is not None else Action.ALLOW
            if held is not None:
                matched.append(held)
        if self.policy.block_lists:
            matched += self._listed(text, tag)
        allowed = self._allowed(text, tag)
        if allowed is not None:
            return Decision(Action.ALLOW, dict.fromkeys(self._names, Action.ALLOW), (allowed,), tag)
        matched.sort(key=lambda rule: -rule.action.severity)
        action = matched[0].action if matched else Action.ALLOW
        return Decision(action, categories, tuple(matched), tag)

    def _rules_for(self, tag: str | None) -> tuple[tuple[Rule, ...], ...]:
        spoken = UNDETERMINED if tag is None else tag
        for each in (spoken, wider_language(spoken)):
            if each is not None and (found := self._rules.get(each)) is not None:
                return found
        return self._rules[None]

    def _known(self, language: str | None) -> str | None:
        return None if language is None or len(language) > _LONGEST_CODE else self._tag(language)

    def _allowed(self, text: str, tag: str | None) -> MatchedRule | None:
        for each in self.policy.allow_lists:
            if each.speaks_to(tag) and each.phrases.is_entry(text):
                source = f"allow_lists.{each.settings.name}"
                return MatchedRule(Action.ALLOW, None, "the text is an entry", source, spans=((0, len(text)),))
        return None

    def _listed(self, text: str, tag: str | None) -> list[MatchedRule]:
        shields: list[tuple[int, int]] | None = None
        matched = []
        for each in self.policy.block_lists:
            settings = each.settings
            if not isinstance(settings, BlockList) or not each.speaks_to(tag):
                continue
            hits = [(hit.start, hit.end) for hit in each.phrases.find(text)]
            if hits and shields is None:
                shields = [
                    (hit.start, hit.end)
                    for allowing in self.policy.allow_lists
                    if allowing.speaks_to(tag)
                    for hit in allowing.phrases.find(text)
                ]
            bare = [hit for hit in hits if not any(s <= hit[0] and hit[1] <= e for s, e in shields or ())]
            if bare:
                source = f"block_lists.{settings.name}"
                found = tuple(sorted(set(bare)))[:_MOST_SPANS]
                matched.append(MatchedRule(settings.action, None, "an entry is in the text", source, spans=found))
        return matched

    def _resolve(self, tag: str | None) -> tuple[tuple[Rule, ...], ...]:
        return tuple(
            tuple(rule for action in (Action.BLOCK, Action.FLAG) if (rule := self._rule(name, action, tag)) is not None)
            for name in self._names
        )

    def _rule(self, category: str, action: Action, tag: str | None) -> Rule | None:
        """Return the rule that the innermost place of the policy gives: a category's language, category, then all.

        A region's variety that is known by itself stands within its language: de-CH, then de.
        """
        document = self.policy.document
        places: list[tuple[str, Conditions | None]] = []
        for where, place in (
            (f"categories.{category}", document.categories.get(category)),
            ("every_category", document.every_category),
        ):
            if place is not None:
                spoken = [each for each in (tag, wider_language(tag or "")) if each is not None]
                places += [(f"{where}.languages.{each}", place.languages.get(each)) for each in spoken]
                places.append((where, place))
        for where, conditions in places:
            condition = getattr(conditions, action.value) if conditions is not None else None
            if condition is None:
                continue
            source = f"{where}.{action.value}"
            if condition == "never":
                return None
            if isinstance(condition, FromLevel):
                return Rule(action, category, source, "level", condition.level, 0)
            if isinstance(condition, FromProbability):
                return Rule(action, category, source, "probability", condition.probability, condition.above)
            return Rule(action, category, source, "guard", 0.0, self._flags_above[category])
        return None


def _tag(code: str) -> str | None:
    try:
        return language_of_code(code).tag
    except UserError:
        return None
