"""Kappa over the bands of language resources, people's line with the raters'."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from evaluation.measures import Slice
from evaluation.report import svg
from evaluation.report.comparison import Comparison
from evaluation.report.evidence import ABSENT, KAPPA, Evidence, Figure, Place, Subject
from evaluation.report.languages import BANDS, band_of
from evaluation.report.plot import TOGETHER, Panel, Plot
from evaluation.report.tables import Column, Grid, Group, Row
from evaluation.report.wording import listed, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Lines: TypeAlias = Mapping[Subject, Sequence[Figure]]


def band_plot(evidence: Evidence, comparison: Comparison) -> Plot | None:
    """Draw the plot; `None` with fewer than two bands or without a rater."""
    tags = {band: [tag for tag in comparison.languages if band_of(tag) == band] for band in BANDS}
    bands = [band for band in BANDS if tags[band]]
    subjects = [subject for subject in (evidence.ceiling, *evidence.systems) if subject is not None]
    if len(bands) < 2:
        return None

    def find(subject: Subject, band: str) -> Figure:
        places = [Place(Slice(band=band), aggregate) for aggregate in ("macro", "pooled")]
        figures = [comparison.at(KAPPA, subject, place) for place in places]
        return next((figure for figure in figures if figure.state != "absent"), ABSENT)

    lines = {subject: [find(subject, band) for band in bands] for subject in subjects}
    lines = {subject: figures for subject, figures in lines.items() if any(f.value is not None for f in figures)}
    if all(subject.human for subject in lines):
        return None
    rows = tuple(Row(subject.label, tuple(figures), subject.mark) for subject, figures in lines.items())
    columns = tuple(Column(f"{band.capitalize()}-resource") for band in bands)
    numbers = Grid("Weighted kappa by resource band", "Rater", columns, (Group("", rows),))
    labels = [f"{band.capitalize()} ({len(tags[band])})" for band in bands]
    return Plot("Weighted kappa by resource band", _panels(lines, labels), tuple(lines), numbers)


def _panels(lines: Lines, labels: Sequence[str]) -> tuple[Panel, ...]:
    together = len(lines) <= TOGETHER
    people = [subject for subject in lines if subject.human]
    chosen = [[*lines]] if together else [[*people, subject] for subject in lines if not subject.human]
    return tuple(
        Panel(
            subject=None if together else bright[-1],
            drawing=svg.draw(
                f"band-{position}",
                (5.0, 3.4) if together else (3.4, 2.6),
                partial(_paint, lines=lines, bright=bright, labels=labels),
            ),
            alternative=_in_words(lines, bright, labels),
        )
        for position, bright in enumerate(chosen)
    )


def _in_words(lines: Lines, bright: Sequence[Subject], labels: Sequence[str]) -> str:
    told = "; ".join(
        f"{subject.label}: {', '.join(f'{t} {shown(f)}' for t, f in zip(labels, lines[subject], strict=True))}"
        for subject in bright
    )
    return f"Line plot of weighted kappa over resource bands (with their number of languages) {listed(labels)}. {told}."


def _paint(axes: Axes, *, lines: Lines, bright: Sequence[Subject], labels: Sequence[str]) -> None:
    for subject in lines:
        if subject not in bright:
            known = [(x, f.value) for x, f in enumerate(lines[subject]) if f.value is not None]
            axes.plot([x for x, _ in known], [y for _, y in known], "-", color=svg.RULE, linewidth=1.0)
    for place, subject in enumerate(bright):
        _paint_line(axes, subject, lines[subject], 0.06 * (place - (len(bright) - 1) / 2))
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlim(-0.4, len(labels) - 0.6)
    bottom, top = axes.get_ylim()
    axes.set_ylim(min(0.0, bottom), max(0.6, top))
    axes.set_xlabel("Resource band (number of languages)")
    axes.set_ylabel("Weighted kappa")
    axes.yaxis.set_major_formatter("{x:.1f}")
    axes.grid(visible=True, axis="y")
    axes.tick_params(length=0)


def _paint_line(axes: Axes, subject: Subject, figures: Sequence[Figure], shift: float) -> None:
    tint = svg.colour(subject.mark)
    known = [(x + shift, figure, figure.value) for x, figure in enumerate(figures) if figure.value is not None]
    for x, figure, _ in known:
        if figure.low is not None and figure.high is not None:
            axes.plot([x, x], [figure.low, figure.high], "-", color=tint, linewidth=1.6, alpha=0.55)
    (line,) = axes.plot([x for x, _, _ in known], [y for _, _, y in known], color=tint, linewidth=1.8)
    line.set(marker=svg.marker(subject.mark), markersize=7, markerfacecolor=svg.GROUND if subject.human else tint)
    line.set_linestyle((0, (5, 3)) if subject.human else "-")
