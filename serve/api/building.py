"""Answers as plain values, ready to be written as JSON; `serve.api.answers` documents them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from serve.api.moderator import Moderated
from serve.api.openai_names import openai_names
from serve.bundle import GuardManifest
from serve.policies import Action, MatchedRule, Policy


class AnswerBuilder:
    """Builds answers about one guard's ratings."""

    def __init__(self, guard: GuardManifest) -> None:
        self.model = f"{guard.name}-{guard.version}"
        self._scales = {category.name: category.scale for category in guard.categories}
        self._openai = openai_names(guard.category_names)
        self._inputs: dict[str, list[str]] = {
            **{name: ["text"] for name in self._scales},
            **{name: ["text"] if ours else [] for name, ours in self._openai.items()},
        }

    def head(self, prefix: str, policy: Policy) -> dict[str, Any]:
        """Return what every answer begins with."""
        return {"id": f"{prefix}-{secrets.token_hex(12)}", "model": self.model, "policy": policy_answer(policy)}

    def rated(self, text: Moderated) -> dict[str, Any]:
        """Return everything about a text, a `RatedText`."""
        rating, decision = text.rating, text.decision
        return {
            "action": decision.action.value,
            "rules": [_rule(rule) for rule in decision.rules],
            "language": {
                "tag": text.language,
                "given": text.given,
                "confidence": text.confidence,
                "calibration": rating.language,
            },
            "categories": {
                name: {
                    "level": rating.levels[name],
                    "scale": scale,
                    "probability": rating.probabilities[name][0],
                    "probabilities": rating.probabilities[name],
                    "flagged": rating.flagged[name],
                    "action": decision.categories[name].value,
                    "trigger": rating.triggers[name],
                }
                for name, scale in self._scales.items()
            },
            "windows": rating.windows,
            "characters": text.characters,
            "replaced": rating.replaced,
        }

    def moderation(self, text: Moderated) -> dict[str, Any]:
        """Return a text as OpenAI's clients read it, a `ModerationResult`.

        One of OpenAI's categories for which several of ours speak has their lowest score, and is set where all are.
        """
        decision, probabilities = text.decision, text.rating.probabilities
        categories: dict[str, bool | None] = {
            name: action is not Action.ALLOW for name, action in decision.categories.items()
        }
        scores: dict[str, float | None] = {name: probabilities[name][0] for name in self._scales}
        _add_openai(self._openai, categories, scores, probabilities)
        return {
            "flagged": decision.action is not Action.ALLOW,
            "action": decision.action.value,
            "categories": categories,
            "category_scores": scores,
            "category_applied_input_types": self._inputs,
        }


def policy_answer(policy: Policy) -> dict[str, str]:
    """Return which policy was in force."""
    return {"name": policy.name, "version": policy.version, "digest": policy.digest}


def _add_openai(
    names: Mapping[str, tuple[str, ...]],
    categories: dict[str, bool | None],
    scores: dict[str, float | None],
    probabilities: Mapping[str, tuple[float, ...]],
) -> None:
    for name, ours in names.items():
        categories[name] = all(categories[each] for each in ours) if ours else None
        scores[name] = min(probabilities[each][0] for each in ours) if ours else None


def _rule(rule: MatchedRule) -> dict[str, Any]:
    return {
        "action": rule.action.value,
        "category": rule.category,
        "condition": rule.condition,
        "source": rule.source,
        "value": rule.value,
        "spans": rule.spans,
    }
