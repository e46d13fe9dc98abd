"""The columns of each kind of sheet."""

from __future__ import annotations

from babelguard.item import Role
from babelguard.languages import language
from babelguard.taxonomy import Taxonomy, taxonomy
from data_prep.annotating.batch import Batch
from data_prep.annotating.rubric import FIDELITY, heading
from data_prep.annotating.sheet import CODE, Column

TEXT, SOURCE, CONTEXT, DIALECT, COMMENT = "text", "source", "context", "dialect", "comment"
WRITTEN = {Role.PROMPT: "prompt", Role.COMPLETION: "completion", Role.BENIGN_COMPLETION: "benign completion"}
"""Role -> heading of the column in which its transcreation is written."""


def source_heading(role: Role) -> str:
    """Return the heading of the column that holds the source of a role."""
    return f"source {WRITTEN[role]}"


def rated_taxonomy(batch: Batch) -> Taxonomy:
    """Return the categories that a batch asks levels of."""
    return FIDELITY if batch.task == "review" else taxonomy(batch.taxonomy)


def columns_of(batch: Batch, tag: str) -> tuple[Column, ...]:
    """Return the columns of a batch's sheets in one language."""
    rtl = language(tag).right_to_left
    code, comment = Column(CODE, 13), Column(COMMENT, 30, fill_in=True)
    if batch.task == "transcreation":
        sources = [Column(source_heading(role), 45) for role in WRITTEN]
        written = [Column(name, 45, fill_in=True, right_to_left=rtl) for name in WRITTEN.values()]
        dialect = Column(DIALECT, 16, fill_in=True, choices=batch.dialects)
        return (code, *sources, Column(CONTEXT, 30), *written, dialect, comment)
    levels = [
        Column(heading(category), 10, fill_in=True, choices=tuple(map(str, range(1, category.scale + 1))))
        for category in rated_taxonomy(batch)
    ]
    first = Column(SOURCE, 50) if batch.task == "review" else Column(CONTEXT, 30, right_to_left=rtl)
    return (code, first, Column(TEXT, 60, right_to_left=rtl), *levels, comment)
