"""What an evaluation finds, as flat records: the schema of `metrics.json` and of the Parquet tables beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any

MACRO = "macro"
"""In the place of a category: the mean over the categories that the rater covers."""


MACRO_COMMON = "macro-common"
"""In the place of a category: the mean over the categories and languages in which every rater gave levels."""


def defined(value: float) -> float | None:
    """Return a figure as a plain float, `None` where it is undefined (NaN)."""
    return None if math.isnan(value) else float(value)


@dataclass(frozen=True, slots=True)
class Slice:
    """Which items a figure is about; a field that is `None` does not restrict them.

    Attributes:
        language: BCP-47 tag.
        band: ``high``, ``mid`` or ``low``: RTP-LX's language tiers 5, 4, and 3 and below.
        subset: Part of the source.
        role: Part of an exchange.
        register: Variety of the language.
    """

    language: str | None = None
    band: str | None = None
    subset: str | None = None
    role: str | None = None
    register: str | None = None

    def to_row(self) -> dict[str, str | None]:
        """Return the fields by name. `dataclasses.asdict` does the same ten times slower, and there are many."""
        return {
            "language": self.language,
            "band": self.band,
            "subset": self.subset,
            "role": self.role,
            "register": self.register,
        }


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure.

    Attributes:
        metric: Name of the metric, as in docs/metrics.md.
        rater: Who is measured.
        reference: Against whom: ``majority``, another annotator, ``other-humans``, or ``none``.
        category: Harm category, or `MACRO`.
        slice: The items.
        aggregate: ``cell`` (items of one language), ``pooled`` (items of several languages in one table)
            or ``macro`` (unweighted mean of the languages' figures).
        value: The figure; `None` where it is undefined.
        low: Lower end of the interval, where there is one.
        high: Upper end.
        n_items: Items with a level from both sides; for a mean over categories those of its best covered category,
            for a mean over languages their sum.
        n_clusters: Distinct source_ids among them, counted in the same way.
        n_undefined: Bootstrap replicates in which the metric was undefined.
    """

    metric: str
    rater: str
    reference: str
    category: str
    slice: Slice
    aggregate: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n_items: int = 0
    n_clusters: int = 0
    n_undefined: int = 0

    def to_row(self) -> dict[str, Any]:
        """Return one flat row, the slice's fields beside the others."""
        return {
            **self.slice.to_row(),
            "metric": self.metric,
            "rater": self.rater,
            "reference": self.reference,
            "category": self.category,
            "aggregate": self.aggregate,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n_items": self.n_items,
            "n_clusters": self.n_clusters,
            "n_undefined": self.n_undefined,
        }


@dataclass(frozen=True, slots=True)
class StatusCount:
    """How many of a rater's answers for one language and category ended in one status."""

    rater: str
    language: str
    category: str
    status: str
    count: int


@dataclass(frozen=True, slots=True)
class LevelCount:
    """How often a rater chose one level for one language and category."""

    rater: str
    language: str
    category: str
    level: int
    count: int


@dataclass(frozen=True, slots=True)
class Confusion:
    """Levels of the reference (rows) against levels of the rater (columns), for one language and category."""

    rater: str
    reference: str
    language: str
    category: str
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One rater's figure minus another's on the same items, by paired bootstrap.

    `p_holm` is the two-sided p-value after Holm's correction over the run's differences in the same metric.
    """

    metric: str
    rater: str
    other: str
    category: str
    slice: Slice
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    n_items: int


@dataclass(frozen=True, slots=True)
class RaterSummary:
    """A rater as the report introduces it.

    Attributes:
        name: Its name in every table.
        kind: ``human`` or the rater kind of the recipe.
        description: One sentence.
        covers: The categories it speaks about.
        fingerprint: Hash of all that decides its answers.
    """

    name: str
    kind: str
    description: str
    covers: tuple[str, ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Findings:
    """All that one run found; the report is made from this alone.

    Attributes:
        recipe: The resolved recipe.
        corpus: Source, counts of items, source_ids and languages, rows set aside by kind, licence, filters.
        taxonomy: The categories with title, definition and scale.
        raters: Every rater, humans first.
        notes: Sentences that a reader must know, such as what is void.
        settings: Replicates, confidence, method and seed of the intervals; Babelguard's version.
    """

    recipe: Mapping[str, Any]
    corpus: Mapping[str, Any]
    taxonomy: tuple[Mapping[str, Any], ...]
    raters: tuple[RaterSummary, ...]
    measures: tuple[Measure, ...]
    statuses: tuple[StatusCount, ...]
    levels: tuple[LevelCount, ...]
    confusions: tuple[Confusion, ...]
    differences: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        rows = {"measures": [measure.to_row() for measure in self.measures]}
        others = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in rows}
        return {
            name: [asdict(row) if is_dataclass(row) and not isinstance(row, type) else row for row in value]
            if isinstance(value, tuple)
            else value
            for name, value in {**others, **rows}.items()
        }
