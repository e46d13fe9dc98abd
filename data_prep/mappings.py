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
from types import MappingProxyType

from babelguard.errors import UserError
from babelguard.taxonomy import Taxonomy
from data_prep.source_mapping import FLAGGED, NONE, SAYS_NOTHING, Rule, Scale, SourceMapping


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
