"""What share of the items each rater flags, whatever people say of them, by subset and language."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evaluation.measures import Slice
from evaluation.measuring.block_rate import METRIC, REFERENCE
from evaluation.measuring.flag_share import ANY
from evaluation.report.evidence import Evidence, Figure, Place, Subject
from evaluation.report.languages import language_name
from evaluation.report.tables import Column, Grid, Group, Row, subject_row

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class BlockRates:
    """The tables.

    Attributes:
        by_subset: Raters by subset, over all languages.
        by_language: Languages by rater and subset; `None` where there is one language.
    """

    by_subset: Grid
    by_language: Grid | None


def block_rates(evidence: Evidence) -> BlockRates | None:
    """Build the tables; `None` where nothing was measured."""
    raters = [replace(s, reference=REFERENCE) for s in evidence.systems if evidence.has(METRIC, s.rater, REFERENCE)]
    if not raters:
        return None
    places = {m.slice for m in evidence.findings.measures if m.metric == METRIC}
    subsets = [None, *sorted({place.subset for place in places if place.subset})]
    roles = sorted({place.role for place in places}, key=lambda role: role or "")
    single = evidence.languages[0] if len(evidence.languages) == 1 else None
    columns = tuple(Column(subset or "All items", "share") for subset in subsets)
    groups = tuple(
        Group(
            role or "",
            tuple(
                subject_row(rater, [_figure(evidence, rater, Slice(single, None, subset, role)) for subset in subsets])
                for rater in raters
            ),
        )
        for role in roles
    )
    by_subset = Grid("Share of items flagged, whatever people say of them", "Rater", columns, groups)
    return BlockRates(by_subset, None if single else _by_language(evidence, raters, subsets, roles))


def _by_language(
    evidence: Evidence, raters: list[Subject], subsets: list[str | None], roles: list[str | None]
) -> Grid | None:
    columns = tuple(
        Column(f"{rater.label}, {subset}" if subset else rater.label, "share") for rater in raters for subset in subsets
    )
    groups = []
    for role in roles:
        rows = []
        for tag in evidence.languages:
            cells = [_figure(evidence, rater, Slice(tag, None, subset, role)) for rater in raters for subset in subsets]
            if any(cell != NOTHING for cell in cells):
                rows.append(Row(language_name(tag), tuple(cells)))
        if rows:
            groups.append(Group(role or "", tuple(rows)))
    return Grid("Share of items flagged, by language", "Language", columns, tuple(groups)) if groups else None


def _figure(evidence: Evidence, rater: Subject, where: Slice) -> Figure | str:
    """Return the rate; a dash where the rater rated nothing, such as a subset that a language or role does not have."""
    category = ANY if len(rater.covers) > 1 else next(iter(rater.covers))
    found = evidence.figure(METRIC, rater, category, Place(where, "cell" if where.language else "pooled"))
    return NOTHING if found.state == "absent" else found
