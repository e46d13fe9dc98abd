"""One rater for every moderation service."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from babelguard.endpoint.client import EndpointClient, Reply, Request
from babelguard.endpoint.failure import Kind
from babelguard.endpoint.generator import NOT_UNICODE, is_unicode
from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.rating import Rating, Score, Status
from babelguard.response_cache import ResponseCache
from babelguard.taxonomy import Taxonomy, TaxonomyMapping
from evaluation.moderation_apis.asking import ask
from evaluation.moderation_apis.levels import level_of
from evaluation.moderation_apis.pieces import pieces_of
from evaluation.moderation_apis.service import ModerationService, Reading
from evaluation.rater import complete

EMPTY = "the text is empty; nothing was sent"
HARMLESS = "Good morning. The weather is fine today."
"""What a service is probed with, in English."""
_IN_PIECES, _UNTRAINED, _BETWEEN = "pieces:", "not specially trained in", "; "
"""Remarks in a score's detail, and what stands between two."""
_REASONS = {
    "language_not_supported_by_attribute": Status.NOT_COVERED,
    "language_detection_failed": Status.NOT_COVERED,
    "notsupportedlanguage": Status.NOT_COVERED,
    "unsupportedlanguage": Status.NOT_COVERED,
    "comment_empty": Status.NOT_APPLICABLE,
}
"""Error codes that say why there is no level; every other failure is an error."""


@dataclass(frozen=True, slots=True)
class _Order:
    """What is asked about one item, or why nothing is."""

    item: Item
    labels: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()
    reason: Score | None = None
    remarks: tuple[str, ...] = ()


@dataclass
class ModerationRater:
    """Rates by a moderation service, its labels carried into our taxonomy.

    Attributes:
        cut_points: Our category -> scores above which level 2, 3, ... begin; the others are cut evenly.
    """

    name: str
    description: str
    covers: tuple[str, ...]
    fingerprint: str
    taxonomy: Taxonomy
    service: ModerationService
    mapping: TaxonomyMapping
    client: EndpointClient
    cache: ResponseCache | None = None
    cut_points: Mapping[str, Sequence[float]] = field(default_factory=dict)
    _in_pieces: int = field(default=0, init=False)
    _untrained: set[str] = field(default_factory=set, init=False)

    @property
    def notes(self) -> Sequence[str]:
        """Sentences that a reader of its figures must know."""
        found = []
        if self._in_pieces:
            unit = "bytes" if self.service.longest_in_bytes else "characters"
            found.append(
                f"{self.name}: {self._in_pieces:,} texts longer than {self.service.longest:,} {unit} were rated "
                "in overlapping pieces; the highest score of a piece counts."
            )
        if self._untrained:
            listed = ", ".join(sorted(self._untrained))
            found.append(f"{self.name}: {self.service.title} is not specially trained in {listed}, says its maker.")
        return found

    def accepts(self, item: Item) -> bool:  # noqa: ARG002 - the contract's
        """Tell whether the service can be asked; a language that it does not take is counted as not covered."""
        return True

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        """Yield one rating an item, in order.

        Raises:
            UserError: The service cannot be used, or answers with a label that the mapping does not know.
        """
        orders = [self._order(item) for item in items]
        requests = [request for order in orders for request in order.requests]
        probe = self.service.request(HARMLESS, "en", self.service.labels_for("en"))
        source = f"{self.service.title} at {self.client.address}"
        replies = ask(self.client, self.cache, source, requests, probe, self._is_answer)
        for order in orders:
            yield self._rating(order, list(islice(replies, len(order.requests))))

    def observe(self, rating: Rating) -> None:
        """Count what the details say about how a text was rated, whichever start of the run wrote them."""
        details = (score.detail for score in rating.scores.values() if score.level is not None)
        for remark in next(filter(None, details), "").split(_BETWEEN):
            if remark.startswith(_IN_PIECES):
                self._in_pieces += 1
            elif remark.startswith(_UNTRAINED):
                self._untrained.add(remark.removeprefix(_UNTRAINED).strip())

    def _order(self, item: Item) -> _Order:
        text = "\n".join(part for part in (item.text, *(turn.content for turn in item.messages)) if part)
        labels = self.service.labels_for(item.language)
        if not is_unicode(text):
            return _Order(item, reason=Score.missing(Status.ERROR, NOT_UNICODE))
        if not text.strip():
            return _Order(item, reason=Score.missing(Status.NOT_APPLICABLE, EMPTY))
        if not labels:
            reason = f"{self.service.title} does not take the language {item.language}"
            return _Order(item, reason=Score.missing(Status.NOT_COVERED, reason))
        pieces = pieces_of(text, self.service.longest, self.service.longest_in_bytes)
        trained = self.service.trained_languages
        remarks = [f"{_IN_PIECES} {len(pieces)}"] if len(pieces) > 1 else []
        if trained and item.language.split("-")[0] not in trained:
            remarks.append(f"{_UNTRAINED} {item.language}")
        requests = tuple(self.service.request(piece, item.language, labels) for piece in pieces)
        return _Order(item, labels, requests, remarks=tuple(remarks))

    def _rating(self, order: _Order, replies: Sequence[Reply]) -> Rating:
        if order.reason is not None:
            return self._without(order.item, order.reason)
        highest: dict[str, Reading] = {}
        for reply in replies:
            readings = self._readings(reply)
            if isinstance(readings, Score):
                return self._without(order.item, readings)
            for label, reading in readings.items():
                if label not in highest or reading.score > highest[label].score:
                    flagged = reading.flagged or (label in highest and highest[label].flagged)
                    highest[label] = Reading(reading.score, reading.shown, flagged)
                elif reading.flagged:
                    highest[label] = Reading(highest[label].score, highest[label].shown, True)
        raw = json.dumps({label: reading.shown for label, reading in sorted(highest.items())})
        scores = {name: self._score(name, order, highest) for name in self.covers}
        return Rating(self.name, order.item.id, complete(self.taxonomy, scores), raw)

    def _readings(self, reply: Reply) -> Mapping[str, Reading] | Score:
        """Return what a reply says, or the reason why it says nothing."""
        if reply.failure is not None or reply.body is None:
            failure = reply.failure
            if failure is None:
                return Score.missing(Status.ERROR, "no answer")
            status = Status.BLOCKED if failure.kind is Kind.BLOCKED else _REASONS.get(failure.code or "", Status.ERROR)
            return Score.missing(status, failure.detail)
        try:
            readings = self.service.read(reply.body)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            return Score.missing(Status.ERROR, "an answer of another shape")
        for label in readings:
            if label not in self.mapping.table:
                raise UserError(
                    f"{self.service.title} answers with the label {label!r}, which the rater's mapping does not know; "
                    f"add it under mapping, with the categories that it speaks for ([] for none)."
                )
        return readings

    def _score(self, category: str, order: _Order, readings: Mapping[str, Reading]) -> Score:
        """Return the score of one of our categories: the highest of the labels that speak for it."""
        speaking = [label for label in self.mapping.table if category in self.mapping.table[label]]
        found = [readings[label] for label in speaking if label in readings]
        if not found:
            asked = set(order.labels).intersection(speaking)
            reason = "the service gave no score" if asked else f"not offered in the language {order.item.language}"
            return Score.missing(Status.ERROR if asked else Status.NOT_COVERED, reason)
        score = max(reading.score for reading in found)
        flagged = any(reading.flagged for reading in found)
        level = level_of(score, self.taxonomy[category], self.cut_points.get(category), flagged)
        probability = score if self.service.scores_are_probabilities else None
        return Score(level, probability=probability, detail=_BETWEEN.join(order.remarks) or None)

    def _without(self, item: Item, reason: Score) -> Rating:
        scores = dict.fromkeys(self.covers, reason)
        return Rating(self.name, item.id, complete(self.taxonomy, scores))

    def _is_answer(self, body: Mapping[str, Any]) -> bool:
        try:
            return bool(self.service.read(body))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            return False
