"""What the labels of each source say about the categories of the taxonomy, in tables, in one place.

Three rules hold for every table.

- A category that no label of a source speaks for is *not covered*: items of the source have no label for it.
- A label that names only a part of a category can show that the category is there, not that it is absent: its negative
  value maps to `SAYS_NOTHING`.
- A binary label maps to level 1 and to level 2, the lowest flagged level, and `Scale.BINARY` says so. It does not know
  how severe a text is. Compare such labels with a rater by flagged or not (level 1 against the rest); a weighted kappa
  against them would count the rater's level 3 as half a disagreement that the people never expressed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

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


def _one(category: str, levels: Mapping[str, int | None]) -> tuple[Rule, ...]:
    return (Rule(category, MappingProxyType(dict(levels))),)


def _flag(category: str) -> tuple[Rule, ...]:
    return _one(category, {"0": NONE, "1": FLAGGED})


def _part_of(*categories: str) -> tuple[Rule, ...]:
    return tuple(rule for name in categories for rule in _one(name, {"0": SAYS_NOTHING, "1": FLAGGED}))


def _topic(category: str, values: Iterable[str], topics: Iterable[str]) -> tuple[Rule, ...]:
    """Return the rule of a topic label: the topic shows that the category is there, others say nothing of it."""
    return _one(category, {value: FLAGGED if value in topics else SAYS_NOTHING for value in values})


STRONGREJECT_CATEGORIES = (
    "Disinformation and deception",
    "Hate, harassment and discrimination",
    "Illegal goods and services",
    "Non-violent crimes",
    "Sexual content",
    "Violence",
)
JBB_CATEGORIES = (
    "Harassment/Discrimination",
    "Malware/Hacking",
    "Physical harm",
    "Economic harm",
    "Fraud/Deception",
    "Disinformation",
    "Sexual/Adult content",
    "Privacy",
    "Expert advice",
    "Government decision-making",
)
MULTIJAIL_TAGS = (
    "Adult content",
    "Animal abuse",
    "Bullying & harassment",
    "Child abuse",
    "Conspiracy theories & misinformation",
    "Discrimination & injustice",
    "Fraud & deception",
    "Hate speech & offensive language",
    "Non-violent unethical behavior (e.g. lying, cheating, etc.)",
    "Property crime & vandalism",
    "Self-harm",
    "Sexual exploitation & human trafficking",
    "Soliciting personally identifiable information",
    "Substance abuse & banned substances",
    "Terrorism & organized crime",
    "Theft",
    "Violence & incitement",
    "Weapons",
)

_REQUEST = "says what a request is after, not what harm its words do; kept as metadata"
_MACHINE = "given by a model, not by people; kept as metadata"
_NO_HARM = "a mathematics problem; nobody labelled harm"

_TABLES = (
    SourceMapping(
        source="openai-moderation",
        scale=Scale.BINARY,
        rules={
            "S": _flag("SexualContent"),
            "H": _flag("IdentityAttack"),
            "V": _flag("Violence"),
            "SH": _flag("SelfHarm"),
            "HR": _part_of("Insult"),  # harassment insults; texts without it may still be profane
            "S3": _part_of("SexualContent"),
            "H2": _part_of("IdentityAttack", "Violence"),
            "V2": _part_of("Violence"),
        },
    ),
    SourceMapping(
        source="multilingual-hatecheck",
        scale=Scale.BINARY,
        rules={"label": _one("IdentityAttack", {"non-hateful": NONE, "hateful": FLAGGED})},
    ),
    # The publisher does not say which label is which, and the names are easily read the wrong way. It counts 1,200
    # offensive and 1,300 other tweets in train, val and test; "Negative" are 965 of 2,000 in train and val (48%, as
    # published), "Positive" 1,035; and tweets of its file of non-offensive ones that recur here are mostly "Positive".
    SourceMapping(
        source="offensive-hebrew",
        scale=Scale.BINARY,
        rules={"label": _one("Toxicity", {"Positive": NONE, "Negative": FLAGGED})},
    ),
    SourceMapping(
        source="dkhate",
        scale=Scale.BINARY,
        rules={"subtask_a": _one("Toxicity", {"NOT": NONE, "OFF": FLAGGED})},
    ),
    SourceMapping(
        source="beep-korean",
        scale=Scale.ORDINAL,
        rules={
            "hate": _one("Toxicity", {"none": 1, "offensive": 2, "hate": 3}),
            "bias": _one("Bias", {"none": NONE, "others": FLAGGED, "gender": FLAGGED}),
        },
        unmapped={"contain_gender_bias": "repeats that bias is gender"},
    ),
    SourceMapping(
        source="told-br",
        scale=Scale.BINARY,
        votes={
            "Toxicity": ("homophobia", "obscene", "insult", "racism", "misogyny", "xenophobia"),
            "IdentityAttack": ("homophobia", "racism", "misogyny", "xenophobia"),
            "Insult": ("insult", "obscene"),
        },
        annotators=3,
    ),
    SourceMapping(
        source="paradetox",
        scale=Scale.BINARY,
        rules={"style": _one("Toxicity", {"neutral": NONE, "toxic": FLAGGED})},
    ),
    SourceMapping(
        source="strongreject",
        scale=Scale.BINARY,
        rules={
            "category": (
                *_topic("Violence", STRONGREJECT_CATEGORIES, ("Violence",)),
                *_topic("SexualContent", STRONGREJECT_CATEGORIES, ("Sexual content",)),
            )
        },
    ),
    SourceMapping(
        source="jbb-behaviors",
        scale=Scale.BINARY,
        rules={"harmful category": _topic("SexualContent", JBB_CATEGORIES, ("Sexual/Adult content",))},
        unmapped={"benign category": "a benign request on the theme of a harmful one"},
    ),
    SourceMapping(
        source="multijail",
        scale=Scale.BINARY,
        rules={
            "tag": (
                *_topic("Violence", MULTIJAIL_TAGS, ("Violence & incitement",)),
                *_topic("SelfHarm", MULTIJAIL_TAGS, ("Self-harm",)),
                *_topic("SexualContent", MULTIJAIL_TAGS, ("Adult content",)),
            )
        },
    ),
    SourceMapping(
        source="xstest",
        scale=Scale.UNLABELLED,
        unmapped={"label": _REQUEST, "annotation_1": "tells refusals from compliance", "annotation_2": "likewise"},
    ),
    SourceMapping(source="wildjailbreak", scale=Scale.UNLABELLED, unmapped={"data_type": _REQUEST}),
    SourceMapping(source="xsafety", scale=Scale.UNLABELLED, unmapped={"scene": _REQUEST}),
    SourceMapping(source="banglasafe", scale=Scale.UNLABELLED, unmapped={"category": _REQUEST}),
    SourceMapping(source="wildchat", scale=Scale.UNLABELLED, unmapped={"toxic": _MACHINE}),
    SourceMapping(source="real-toxicity-prompts", scale=Scale.UNLABELLED, unmapped={"toxicity": _MACHINE}),
    SourceMapping(source="math-500", scale=Scale.UNLABELLED, unmapped={"answer": _NO_HARM}),
    SourceMapping(source="aime-2024", scale=Scale.UNLABELLED, unmapped={"answer": _NO_HARM}),
)

MAPPINGS: Mapping[str, SourceMapping] = MappingProxyType({table.source: table for table in _TABLES})
"""Source -> its table. RTP-LX and the bundled sample use the taxonomy itself; `table` and `hub` bring their own."""


def mapping_of(source: str, taxonomy: Taxonomy) -> SourceMapping:
    """Return the table that carries a source's labels into a taxonomy.

    Raises:
        UserError: There is none for that taxonomy.
    """
    table = MAPPINGS.get(source)
    if table is None or table.target.name != taxonomy.name:
        raise UserError(f"data_prep/mappings.py has no table from {source} to the taxonomy {taxonomy.name}; add one.")
    return table
