"""A source's own labels as levels of the taxonomy's categories: how a table is read, and that it is sound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from babelguard.errors import UserError
from babelguard.taxonomy import RTP_LX, Taxonomy
from data_prep.reading.row import RowError

NONE = 1
FLAGGED = 2
SAYS_NOTHING = None


class Scale(StrEnum):
    """How fine a source's labels are."""

    ORDINAL = "ordinal"
    BINARY = "binary"
    UNLABELLED = "unlabelled"


@dataclass(frozen=True, slots=True)
class Rule:
    """What the values of one label say about one category: value -> level, or `SAYS_NOTHING`."""

    category: str
    levels: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class SourceMapping:
    """The table of one source.

    Attributes:
        source: Name of the source.
        scale: How fine its labels are.
        rules: Its label -> what that label says, one rule a category.
        votes: Category -> labels that count the annotators who saw one kind of it, all kinds together.
        annotators: How many annotators were counted.
        unmapped: Its label -> why that says nothing about our categories.
        target: The taxonomy that the categories are of.
    """

    source: str
    scale: Scale
    rules: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict)
    votes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    annotators: int = 0
    unmapped: Mapping[str, str] = field(default_factory=dict)
    target: Taxonomy = RTP_LX

    def __post_init__(self) -> None:
        """Check the table against the taxonomy.

        Raises:
            UserError: A category does not exist or a level is off its scale.
        """
        for rules in self.rules.values():
            for rule in rules:
                category = self.target[rule.category]
                for level in rule.levels.values():
                    if level is not SAYS_NOTHING and not category.has_level(level):
                        raise UserError(f"{self.source}: level {level} of {category.name} is off its scale.")
        for name in self.votes:
            self.target[name]

    @property
    def covered(self) -> tuple[str, ...]:
        """Categories that some label speaks for, in the taxonomy's order."""
        spoken = {rule.category for rules in self.rules.values() for rule in rules} | set(self.votes)
        return tuple(name for name in self.target.names if name in spoken)

    @property
    def not_covered(self) -> tuple[str, ...]:
        """Categories that no label speaks for: never to be read as clean."""
        return tuple(name for name in self.target.names if name not in self.covered)

    @property
    def only_present(self) -> tuple[str, ...]:
        """Covered categories whose labels show presence only: an item without the label may have it all the same."""
        absent = {
            rule.category for rules in self.rules.values() for rule in rules if NONE in rule.levels.values()
        } | set(self.votes)
        return tuple(name for name in self.covered if name not in absent)

    def levels(self, values: Mapping[str, str | None]) -> dict[str, int]:
        """Return category -> level for the labels of one row.

        A category is as severe as the label that makes most of it; it is at level 1 only where a label says so and
        none says otherwise. Where no label decides, the category is absent from the answer.

        Args:
            values: Its label -> value; `None` where the row lacks the label.

        Raises:
            RowError: A value is none of those that the source has.
        """
        found: dict[str, int] = {}
        for label, value in values.items():
            if value is None:
                continue
            for rule in self.rules.get(label, ()):
                if value not in rule.levels:
                    known = ", ".join(rule.levels)
                    raise RowError("label-off-scale", f"the label {value!r:.40} of {label} is none of {known}")
                level = rule.levels[value]
                if level is not SAYS_NOTHING:
                    found[rule.category] = max(level, found.get(rule.category, NONE))
        return found

    def voted(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Return category -> level by majority of the counted annotators.

        Two kinds seen by one annotator each may be two annotators or the same one; then nobody knows the majority and
        the category is absent.

        Args:
            counts: Its label -> how many of `annotators` saw it.

        Raises:
            RowError: A count is off 0..`annotators`.
        """
        for label, count in counts.items():
            if not 0 <= count <= self.annotators:
                raise RowError("label-off-scale", f"{label} counts {count} of {self.annotators} annotators")
        majority = self.annotators // 2 + 1
        found: dict[str, int] = {}
        for category, labels in self.votes.items():
            seen = [counts[label] for label in labels]
            if max(seen) >= majority:
                found[category] = FLAGGED
            elif sum(seen) < majority:
                found[category] = NONE
        return found
