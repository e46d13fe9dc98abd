"""How often raters flag what is harmless: by the majority's word, and by construction."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evaluation.measures import MACRO, Slice
from evaluation.measuring.flag_share import ANY
from evaluation.report.block_rates import BlockRates, block_rates
from evaluation.report.evidence import Evidence, Place, Subject, cell
from evaluation.report.languages import language_name
from evaluation.report.tables import Column, Grid, Group, Row, subject_row

RATE = "false_positive_rate"
BENIGN = "benign-by-construction"
_ROLE = "benign-completion"


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """The tables; each is `None` where nothing was measured.

    Attributes:
        by_majority: On items that the majority calls harmless.
        benign: On texts that are harmless by construction.
        benign_by_language: The same by language, flagged in any category.
        flagged: Of all items, whatever people say of them.
    """

    by_majority: Grid | None
    benign: Grid | None
    benign_by_language: Grid | None
    flagged: BlockRates | None = None


def false_alarms(evidence: Evidence) -> FalseAlarms:
    """Build the tables."""
    names = [category.name for category in evidence.categories]
    asked = [s for s in evidence.systems if evidence.has(RATE, s.rater, s.reference)]
    built = [replace(s, reference=BENIGN) for s in evidence.systems if evidence.has(RATE, s.rater, BENIGN)]
    titles = [Column(category.title, "share") for category in evidence.categories]
    by_majority = None
    if asked:
        columns = (*titles, Column("Mean", "share"))
        rows = tuple(_row(evidence, s, [*names, MACRO], evidence.home) for s in asked)
        by_majority = Grid("Share flagged of the items that the majority calls harmless", "Rater", columns, _one(rows))
    if not built:
        return FalseAlarms(by_majority, None, None, block_rates(evidence))
    columns = (*titles, Column("Any category", "share"))
    rows = tuple(_row(evidence, s, [*names, ANY], _whole(evidence, s)) for s in built)
    benign = Grid("Share flagged of the texts that are harmless by construction", "Rater", columns, _one(rows))
    return FalseAlarms(by_majority, benign, _by_language(evidence, built), block_rates(evidence))


def _row(evidence: Evidence, subject: Subject, categories: list[str], place: Place) -> Row:
    return subject_row(subject, [evidence.figure(RATE, subject, name, place) for name in categories])


def _whole(evidence: Evidence, subject: Subject) -> Place:
    pooled = Place(Slice(role=_ROLE), "pooled")
    if evidence.figure(RATE, subject, ANY, pooled).state != "absent":
        return pooled
    places = [_in_language(tag) for tag in evidence.languages]
    return next((p for p in places if evidence.figure(RATE, subject, ANY, p).state != "absent"), pooled)


def _by_language(evidence: Evidence, subjects: list[Subject]) -> Grid | None:
    rows = []
    for tag in evidence.languages:
        figures = tuple(evidence.figure(RATE, subject, ANY, _in_language(tag)) for subject in subjects)
        if any(figure.state != "absent" for figure in figures):
            rows.append(Row(language_name(tag), figures))
    if len(rows) < 2:
        return None
    columns = tuple(Column(subject.label, "share") for subject in subjects)
    return Grid("Share of harmless texts flagged in any category, by language", "Language", columns, _one(tuple(rows)))


def _in_language(tag: str) -> Place:
    return replace(cell(tag), slice=Slice(language=tag, role=_ROLE))


def _one(rows: tuple[Row, ...]) -> tuple[Group, ...]:
    return (Group("", rows),)
