"""Item: one text or conversation to be rated, and what is known about it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from babelguard.aggregation import AggregatedLabel, aggregate, read_aggregated
from babelguard.errors import UserError

RawLabels: TypeAlias = Mapping[str, tuple[int | None, ...]]
"""Category -> one level an annotator, in the annotators' order; `None` where an annotator gave none."""


class Role(StrEnum):
    """What part of an exchange a text is."""

    PROMPT = "prompt"
    COMPLETION = "completion"
    BENIGN_COMPLETION = "benign-completion"
    RESPONSE = "response"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Item:
    """One text, or one conversation, to be rated.

    Attributes:
        id: Unique within a corpus.
        text: The text; empty when `messages` carries the content.
        language: BCP-47 tag, with the script where it matters (``zh-Hans``).
        source: The data set it comes from.
        source_id: The alignment key: the same content in every language and register shares it.
        role: What part of an exchange the text is.
        register: Variety of the language; ``neutral`` unless a register was asked for.
        subset: Part of the source, for example ``transcreated``.
        dialect: What the source says about the variety, as it says it.
        split: ``train``, ``calibration`` or ``test`` where the source or a build fixed one.
        labels: Raw levels, one an annotator, by category. A category that the source does not label is absent.
        aggregated: The one level by category that the source itself publishes, with its rule. Where it publishes
            none, `aggregated_labels` makes it from the raw labels.
        messages: The conversation, oldest turn first.
        metadata: Whatever else the source says, kept as it says it.
        provenance: How a derived item came about (generator, parent, strength, ...).
    """

    id: str
    text: str
    language: str
    source: str
    source_id: str
    role: Role = Role.PROMPT
    register: str = "neutral"
    subset: str | None = None
    dialect: str | None = None
    split: str | None = None
    labels: RawLabels = field(default_factory=dict)
    aggregated: Mapping[str, AggregatedLabel] = field(default_factory=dict)
    messages: tuple[Message, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def content_key(self) -> str:
        """Return a hash of what a rater sees: text or messages, role and language (16 hex digits)."""
        seen = [self.text, [[m.role, m.content] for m in self.messages], self.role.value, self.language]
        encoded = json.dumps(seen, ensure_ascii=True).encode("ascii")
        return hashlib.sha256(encoded).hexdigest()[:16]

    def aggregated_labels(self) -> dict[str, AggregatedLabel]:
        """Return the one level of every category that has one, with its rule: the source's own, else the annotators'.

        A category without any level is absent: not covered, or left open by every annotator. It is never clean.
        """
        made = {category: aggregate(levels) for category, levels in self.labels.items()}
        return {**{category: label for category, label in made.items() if label is not None}, **self.aggregated}

    def to_dict(self) -> dict[str, Any]:
        """Return the item as plain JSON values; fields at their default are left out."""
        record: dict[str, Any] = {
            "id": self.id,
            "text": self.text,
            "language": self.language,
            "source": self.source,
            "source_id": self.source_id,
            "role": self.role.value,
            "register": self.register,
        }
        for name in ("subset", "dialect", "split"):
            value = getattr(self, name)
            if value is not None:
                record[name] = value
        if self.labels:
            record["labels"] = {category: list(levels) for category, levels in self.labels.items()}
        if self.aggregated:
            record["aggregated"] = {
                category: {"level": label.level, "rule": label.rule} for category, label in self.aggregated.items()
            }
        if self.messages:
            record["messages"] = [{"role": m.role, "content": m.content} for m in self.messages]
        for name in ("metadata", "provenance"):
            value = getattr(self, name)
            if value:
                record[name] = dict(value)
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Item:
        """Build an item from `to_dict`'s record.

        Raises:
            UserError: A field is missing, unknown or of the wrong kind; the sentence names the field.
        """
        unknown = set(record) - set(cls.__dataclass_fields__)
        if unknown:
            raise UserError(f"an item has no field {sorted(unknown)[0]!r}; put it under 'metadata'")
        values = dict(record)
        for name in ("id", "text", "language", "source", "source_id"):
            if not isinstance(values.get(name), str):
                raise UserError(f"the item's field {name!r} must be a string, found {values.get(name)!r:.60}")
        try:
            values["role"] = Role(values.get("role", Role.PROMPT))
        except ValueError:
            roles = ", ".join(role.value for role in Role)
            raise UserError(f"unknown role {values['role']!r}; an item's role is one of {roles}") from None
        values["labels"] = _labels_from(values.get("labels", {}))
        values["aggregated"] = read_aggregated(values.get("aggregated", {}))
        values["messages"] = _messages_from(values.get("messages", ()))
        return cls(**values)


def _labels_from(labels: object) -> dict[str, tuple[int | None, ...]]:
    if not isinstance(labels, Mapping):
        raise UserError(f"'labels' must map categories to lists of levels, found {labels!r:.60}")
    read: dict[str, tuple[int | None, ...]] = {}
    for category, levels in labels.items():
        whole = isinstance(levels, Sequence) and not isinstance(levels, str)
        if not whole or any(isinstance(v, bool) or not isinstance(v, int | None) for v in levels):
            raise UserError(f"the labels of {category!r} must be a list of levels or nulls, found {levels!r:.60}")
        read[str(category)] = tuple(levels)
    return read


def _messages_from(messages: object) -> tuple[Message, ...]:
    if not isinstance(messages, Sequence) or isinstance(messages, str):
        raise UserError(f"'messages' must be a list of turns, found {messages!r:.60}")
    read = []
    for turn in messages:
        if not isinstance(turn, Mapping) or not all(isinstance(turn.get(k), str) for k in ("role", "content")):
            raise UserError("every message needs the strings 'role' and 'content'")
        read.append(Message(role=turn["role"], content=turn["content"]))
    return tuple(read)
