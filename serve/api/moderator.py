"""From texts to decisions: batcher, guard, language identification, policy, metrics and audit log together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from serve.api.audit import AuditLog
from serve.api.metrics import Metrics
from serve.batching import DynamicBatcher
from serve.batching.engine import Logits
from serve.batching.window_cache import WindowCache
from serve.guard import Guard, GuardRating
from serve.language_identification import LanguageIdentifier, language_of
from serve.policies import Decider, Decision, PolicyStore
from serve.windows import Encoded


@dataclass(frozen=True, slots=True)
class Moderated:
    """A text that has been judged.

    Attributes:
        rating: What the guard says.
        decision: What the policy does about it.
        language: Its language, as given or identified; `None` where it is not known.
        given: Whether the caller named the language.
        confidence: Probability of an identified language.
        characters: Length of the text in code points.
    """

    rating: GuardRating
    decision: Decision
    language: str | None
    given: bool
    confidence: float | None
    characters: int


@dataclass(frozen=True)
class Judgement:
    """The texts of a request, judged under one policy."""

    texts: list[Moderated]
    decider: Decider


class Moderator:
    """Judges texts. What a text needs beside the model's run is done in the batcher's threads."""

    def __init__(
        self,
        guard: Guard,
        batcher: DynamicBatcher,
        policies: PolicyStore,
        metrics: Metrics,
        identifier: LanguageIdentifier | None = None,
        audit: AuditLog | None = None,
    ) -> None:
        self._guard = guard
        self._columns = len(guard.bundle.columns)
        self._batcher = batcher
        self._policies = policies
        self._metrics = metrics
        self._identifier = identifier
        self._audit = audit

    async def judge(
        self,
        texts: Sequence[str],
        languages: Sequence[str | None],
        *,
        cache: WindowCache | None = None,
        owner: str = "",
        request: str | None = None,
    ) -> Judgement:
        """Judge texts.

        Args:
            texts: The texts.
            languages: Their languages as codes in any system; `None` or ``und`` where one is to be identified.
            cache: Where logits of windows are kept, for texts that grow.
            owner: Whose windows these are.
            request: The id under which the logs have the request, for the audit log.

        Raises:
            OverloadedError: The queue is full.
            BatcherClosedError: The server is shutting down.
        """
        decider = self._policies.decider  # one policy for the whole request, whatever happens meanwhile

        def finish(place: int, encoded: Encoded, logits: Logits) -> Moderated:
            moderated = self._finish(texts[place], languages[place], encoded, logits, decider)
            if self._audit is not None:
                self._audit.offer(texts[place], lambda: self._audit_record(moderated, decider, request))
            return moderated

        return Judgement(await self._batcher.rate(texts, finish, cache=cache, owner=owner), decider)

    def _finish(self, text: str, given: str | None, encoded: Encoded, logits: Logits, decider: Decider) -> Moderated:
        spoken = language_of(text, given, self._identifier)
        if not encoded.windows:
            logits = np.empty((0, self._columns), dtype=np.float32)
        rating = self._guard.judge(encoded, logits, spoken.code)
        decision = decider.decide(text, rating, spoken.code)
        self._metrics.text_decided(decision, decision.language, len(text))
        language = decision.language or spoken.code
        return Moderated(rating, decision, language, spoken.given, spoken.confidence, len(text))

    def _audit_record(self, moderated: Moderated, decider: Decider, request: str | None) -> dict[str, Any]:
        guard, policy = self._guard.bundle, decider.policy
        return {
            "request": request,
            "guard": f"{guard.name}-{guard.version}",
            "policy": f"{policy.name} {policy.version} {policy.digest}",
            "language": moderated.language,
            "action": moderated.decision.action.value,
            "rules": [rule.source for rule in moderated.decision.rules],
            "levels": dict(moderated.rating.levels),
            "probabilities": {name: [round(p, 4) for p in ps] for name, ps in moderated.rating.probabilities.items()},
        }
