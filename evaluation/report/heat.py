"""Heat maps of kappa, language x category, one a rater, with people's on the same cells beside it."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.measures import MACRO
from evaluation.report.evidence import KAPPA, Evidence, Figure, Place, Subject, cell
from evaluation.report.languages import by_band, language_name

STEPS = 9
"""Shades from 0 to 1: tenths up to 0.8, and one for all above."""


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One language's cells; the last one is the mean over the categories."""

    label: str
    cells: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """One table of cells.

    Attributes:
        subject: Who is measured.
        columns: Titles of the categories.
        groups: (title of the band, rows).
        overall: The row for all languages; `None` where there is one language.
    """

    subject: Subject
    columns: tuple[str, ...]
    groups: tuple[tuple[str, tuple[HeatRow, ...]], ...]
    overall: HeatRow | None


@dataclass(frozen=True, slots=True)
class HeatPair:
    """A rater's heat map and people's on the same categories and languages."""

    rater: HeatMap
    humans: HeatMap | None
    not_covered: tuple[str, ...]


def heat_pairs(evidence: Evidence) -> tuple[HeatPair, ...]:
    """Build every rater's heat map; without raters, people's alone."""
    ceiling = evidence.ceiling
    if not evidence.systems:
        return (HeatPair(_heat_map(evidence, ceiling, ceiling), None, ()),) if ceiling else ()
    pairs = []
    for subject in evidence.systems:
        if not evidence.languages_of(subject):
            continue
        missing = tuple(c.title for c in evidence.categories if c.name not in subject.covers)
        humans = _heat_map(evidence, ceiling, subject) if ceiling else None
        pairs.append(HeatPair(_heat_map(evidence, subject, subject), humans, missing))
    return tuple(pairs)


def shade(figure: Figure) -> str:
    """Return the style class of a cell: its step of the scale, or why there is no figure."""
    if figure.value is None:
        return "heat-none"
    written = round(figure.value, 2)
    if written < 0:
        return "heat-below"
    return f"heat-{min(int(written * 10 + 1e-9), STEPS - 1)}"


def _heat_map(evidence: Evidence, subject: Subject, frame: Subject) -> HeatMap:
    """Build the heat map of `subject` on the categories and languages of `frame`."""
    categories = [c for c in evidence.categories if c.name in frame.covers]
    names = [c.name for c in categories]

    def row(label: str, place: Place) -> HeatRow:
        figures = [evidence.figure(KAPPA, subject, name, place) for name in names]
        return HeatRow(label, (*figures, evidence.mean(KAPPA, subject, names, place)))

    tags = evidence.languages_of(frame)
    groups = tuple((title, tuple(row(language_name(tag), cell(tag)) for tag in part)) for title, part in by_band(tags))
    overall = None
    if len(tags) > 1 and evidence.figure(KAPPA, frame, MACRO, evidence.home).state != "absent":
        overall = row("All, mean" if evidence.home.aggregate == "macro" else "All, pooled", evidence.home)
    return HeatMap(subject, tuple(c.title for c in categories), groups, overall)
