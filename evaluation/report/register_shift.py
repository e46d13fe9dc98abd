"""What a change of register does to every rater: flipped decisions, missed harm, false alarms, the worst register."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evaluation.measures import Slice
from evaluation.report.evidence import ABSENT, Evidence, Figure, Place, Subject
from evaluation.report.languages import language_name
from evaluation.report.tables import Column, Grid, Group, Row
from evaluation.report.wording import with_interval

ANY = "any"
FLIPS, RECALL, ALARMS, CONTROL = "flip_rate", "recall_change", "false_positive_change", "control_change_rate"
_COLUMNS = (
    Column("Decisions flipped", "share"),
    Column("Change in recall", "points"),
    Column("Change in false positives", "points"),
)
_AGGREGATES = ("macro", "pooled", "cell")


@dataclass(frozen=True, slots=True)
class RegisterShift:
    """The parts of the section.

    Attributes:
        references: What twins are held against, as words: ``neutral``, ``formal``.
        worst: One sentence a rater on the register in which most of its decisions flip.
        overall: Raters x registers, all languages.
        by_language: Raters x languages, each with its worst register.
        details: Raters x languages x registers.
        control: Pairs whose label differs, where the decision should change; `None` where there are none.
    """

    references: tuple[str, ...]
    worst: tuple[str, ...]
    overall: Grid
    by_language: Grid | None
    details: Grid | None
    control: Grid | None


def register_shift(evidence: Evidence) -> RegisterShift | None:
    """Build the section; `None` where the corpus has no twins."""
    pairs = {
        (str(m.slice.register), m.reference): None
        for m in evidence.findings.measures
        if m.metric in {FLIPS, CONTROL} and m.slice.register
    }
    subjects = [(subject, _lines(evidence, subject, list(pairs), None)) for subject in evidence.systems]
    subjects = [(subject, lines) for subject, lines in subjects if lines]
    controls = _control(evidence, list(pairs))
    if not subjects and controls is None:
        return None
    overall = Grid(
        "Twins against their texts of reference, all languages",
        "Register",
        _COLUMNS,
        tuple(
            Group(subject.label, tuple(Row(line.register, line.cells) for line in lines)) for subject, lines in subjects
        ),
    )
    return RegisterShift(
        tuple(sorted({reference.removesuffix("-twin") for _, reference in pairs}, reverse=True)),
        tuple(_sentence(evidence, subject, lines[0]) for subject, lines in subjects),
        overall,
        _by_language(evidence, list(pairs)),
        _details(evidence, list(pairs)),
        controls,
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """One register's figures for one rater."""

    register: str
    cells: tuple[Figure, ...]

    @property
    def flips(self) -> float:
        value = self.cells[0].value
        return -1.0 if value is None else value


def _lines(evidence: Evidence, subject: Subject, pairs: Sequence[tuple[str, str]], tag: str | None) -> list[_Line]:
    """Return the registers with figures, the one with most flips first."""
    lines = []
    for register, reference in pairs:
        cells = tuple(
            _figure(evidence, metric, replace(subject, reference=reference), Slice(language=tag, register=register))
            for metric in (FLIPS, RECALL, ALARMS)
        )
        if cells[0].state != "absent":
            lines.append(_Line(register, cells))
    return sorted(lines, key=lambda line: (-line.flips, line.register))


def _figure(evidence: Evidence, metric: str, subject: Subject, where: Slice) -> Figure:
    places = [Place(where, aggregate) for aggregate in _AGGREGATES]
    if where.language is None:  # a register of one language has no figure across languages
        places += [Place(replace(where, language=tag), "cell") for tag in evidence.languages]
    figures = (evidence.figure(metric, subject, ANY, place) for place in places)
    return next((figure for figure in figures if figure.state != "absent"), ABSENT)


def _sentence(evidence: Evidence, subject: Subject, worst: _Line) -> str:
    flips, recall, alarms = worst.cells
    if not flips.value:
        return f"{subject.label}: no decision flips in any register."
    said = [f"{with_interval(flips, 'share', evidence.confidence)} of the decisions flip"]
    if recall.value is not None:
        said.append(f"recall changes by {with_interval(recall, 'points', evidence.confidence)}")
    if alarms.value is not None:
        said.append(f"false positives by {with_interval(alarms, 'points', evidence.confidence)}")
    return f"{subject.label}: worst in {worst.register}, where {', '.join(said)}."


def _by_language(evidence: Evidence, pairs: Sequence[tuple[str, str]]) -> Grid | None:
    groups = []
    for subject in evidence.systems:
        worst = [(tag, lines[0]) for tag in evidence.languages if (lines := _lines(evidence, subject, pairs, tag))]
        rows = tuple(Row(language_name(tag), (line.register, *line.cells)) for tag, line in worst)
        groups.append(Group(subject.label, rows))
    columns = (Column("Worst register", "words"), *_COLUMNS)
    kept = tuple(group for group in groups if group.rows)
    return (
        Grid("The worst register in each language, by flipped decisions", "Language", columns, kept) if kept else None
    )


def _details(evidence: Evidence, pairs: Sequence[tuple[str, str]]) -> Grid | None:
    groups = []
    for subject in evidence.systems:
        for tag in evidence.languages:
            rows = tuple(Row(line.register, line.cells) for line in _lines(evidence, subject, pairs, tag))
            if rows:
                groups.append(Group(f"{subject.label} in {language_name(tag)}", rows))
    return Grid("Every register in every language", "Register", _COLUMNS, tuple(groups)) if groups else None


def _control(evidence: Evidence, pairs: Sequence[tuple[str, str]]) -> Grid | None:
    groups = []
    for subject in evidence.systems:
        rows = []
        for register, reference in pairs:
            measured = replace(subject, reference=reference)
            figure = _figure(evidence, CONTROL, measured, Slice(register=register))
            if figure.state != "absent":
                rows.append(Row(register, (figure,)))
        if rows:
            groups.append(Group(subject.label, tuple(rows)))
    columns = (Column("Decisions changed", "share"),)
    title = "Control: pairs that people label differently, where the decision should change"
    return Grid(title, "Register", columns, tuple(groups)) if groups else None
