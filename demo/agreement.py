"""Agreement of a run as tables and plots: one metric, one part of the items, every rater and category."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demo.runs import Run
from demo.verdict import language_name

MACRO = "macro"
_SLICES = ("language", "band", "subset", "role", "register")
_PEOPLE = {"human-pairs": ("humans", "People: mean pair"), "human-left-out": ("other-humans", "People: one left out")}
_MAJORITY = ("majority", "none")
_FIRST = ("linear_kappa", "ac2", "percentage_agreement")
_SIGNED = ("signed_error", "recall_change", "false_positive_change", "bias_index")


@dataclass(frozen=True, slots=True)
class Part:
    """Which items a table is about, and how their languages were put together."""

    aggregate: str
    slice: tuple[str | None, ...]

    @property
    def title(self) -> str:
        """What the part is called."""
        how = {"macro": ", mean of languages", "pooled": ", pooled"}.get(self.aggregate, "")
        told = [_told(name, value) for name, value in zip(_SLICES, self.slice, strict=True) if value is not None]
        return (", ".join(told) if told else "All languages") + how


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure with its interval; `None` where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    items: int = 0


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """One rater's figures, category by category, the mean over categories first."""

    rater: str
    people: bool
    figures: tuple[Figure | None, ...]


@dataclass(frozen=True, slots=True)
class AgreementTable:
    """One metric on one part of the items.

    Attributes:
        metric: Name of the metric.
        part: What the items are called.
        columns: Titles of the categories, "Mean" first.
        rows: The raters, people first.
    """

    metric: str
    part: str
    columns: tuple[str, ...]
    rows: tuple[AgreementRow, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """One rater's figure in one language; `series` tells its colour and shape."""

    rater: str
    series: int
    figure: Figure


@dataclass(frozen=True, slots=True)
class LanguagePlot:
    """One metric and category, language by language, on one axis.

    Attributes:
        metric: Name of the metric.
        category: What the category is called.
        low: Lower end of the axis.
        high: Upper end.
        ticks: Where the axis is labelled.
        raters: The raters, in the order of their series.
        rows: (name of the language, marks).
    """

    metric: str
    category: str
    low: float
    high: float
    ticks: tuple[float, ...]
    raters: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Mark, ...]], ...]

    def at(self, value: float) -> float:
        """Return where a value lies on the axis, in per cent of its length."""
        return round(100 * (min(max(value, self.low), self.high) - self.low) / (self.high - self.low), 2)


def metrics_of(run: Run) -> list[str]:
    """Return the metrics of a run, the headline ones first."""
    present = {str(row["metric"]) for row in _relevant(run)}
    return [*(m for m in _FIRST if m in present), *sorted(present - set(_FIRST))]


def parts_of(run: Run, metric: str) -> list[Part]:
    """Return the parts of the items for which a metric was measured, the whole first."""
    found = {_part(row) for row in _relevant(run) if row["metric"] == metric}
    return sorted(found, key=lambda part: (sum(v is not None for v in part.slice), part.aggregate != MACRO, part.title))


def categories_of(run: Run, metric: str) -> dict[str, str]:
    """Return the categories for which a metric was measured: name -> title, the mean over categories first."""
    present = {str(row["category"]) for row in _relevant(run) if row["metric"] == metric}
    named = {MACRO: "Mean over categories", "any": "Any category", "macro-common": "Mean over what all rate"}
    return {name: title for name, title in {**named, **run.categories}.items() if name in present}


def agreement_table(run: Run, metric: str, part: Part) -> AgreementTable:
    """Return the table of one metric on one part of the items."""
    categories = categories_of(run, metric)
    figures: dict[tuple[str, str], Figure] = {}
    for row in _relevant(run):
        if row["metric"] == metric and _part(row) == part:
            figures.setdefault((str(row["rater"]), str(row["category"])), _figure(row))
    raters = [rater for rater in _raters(run) if any((rater, name) in figures for name in categories)]
    rows = tuple(
        AgreementRow(rater_title(rater), rater in _PEOPLE, tuple(figures.get((rater, name)) for name in categories))
        for rater in raters
    )
    return AgreementTable(metric, part.title, tuple(categories.values()), rows)


def language_plot(run: Run, metric: str, category: str) -> LanguagePlot:
    """Return the plot of one metric and category over the languages."""
    found: dict[str, dict[str, Figure]] = {}
    for row in _relevant(run):
        alone = row["language"] is not None and all(row[name] is None for name in _SLICES[1:])
        if row["metric"] == metric and row["category"] == category and alone and row["value"] is not None:
            found.setdefault(str(row["language"]), {}).setdefault(str(row["rater"]), _figure(row))
    raters = [rater for rater in _raters(run) if any(rater in figures for figures in found.values())]
    marks = {
        tag: {r: Mark(rater_title(r), place, figures[r]) for place, r in enumerate(raters) if r in figures}
        for tag, figures in found.items()
    }
    tags = sorted(marks, key=language_name)
    rows = tuple((language_name(tag), tuple(marks[tag][r] for r in raters if r in marks[tag])) for tag in tags)
    low, high, ticks = _axis([mark.figure for _, row in rows for mark in row])
    title = categories_of(run, metric).get(category, category)
    return LanguagePlot(metric, title, low, high, ticks, tuple(map(rater_title, raters)), rows)


def rater_title(rater: str) -> str:
    """Return what a rater is called."""
    return _PEOPLE[rater][1] if rater in _PEOPLE else rater


def metric_title(metric: str) -> str:
    """Return what a metric is called, and what it means where the report tells it."""
    from evaluation.report.metric_texts import metric_text

    return metric_text(metric).title


def metric_meaning(metric: str) -> str:
    """Return what a metric means, in a sentence or two; empty where the report does not tell."""
    from evaluation.report.metric_texts import metric_text

    return metric_text(metric).meaning


def written(value: float, metric: str) -> str:
    """Return a figure as tables write it, with a true minus sign."""
    sign = "+" if metric in _SIGNED and value > 0 else ""
    return f"{sign}{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def shade(value: float | None, metric: str) -> int | None:
    """Return a figure's step of the scale, 0 to 8; `None` where it has no good end or is not there."""
    if value is None or metric not in (
        "linear_kappa",
        "ac2",
        "ac1",
        "kappa",
        "quadratic_kappa",
        "percentage_agreement",
    ):
        return None
    return min(max(int(value * 10 + 1e-9), 0), 8)


def _relevant(run: Run) -> Iterator[Mapping[str, Any]]:
    """Yield the figures of raters against the majority, and of people among themselves."""
    systems = {str(rater["name"]) for rater in run.raters if rater.get("kind") != "human"}
    for row in run.measures:
        rater, reference = row["rater"], row["reference"]
        if rater in systems:
            if reference in _MAJORITY:
                yield row
        elif rater in _PEOPLE and reference == _PEOPLE[rater][0]:
            yield row


def _raters(run: Run) -> list[str]:
    systems = [str(rater["name"]) for rater in run.raters if rater.get("kind") != "human"]
    return [*_PEOPLE, *systems]


def _part(row: Mapping[str, Any]) -> Part:
    return Part(str(row["aggregate"]), tuple(row[name] for name in _SLICES))


def _figure(row: Mapping[str, Any]) -> Figure:
    return Figure(row["value"], row.get("low"), row.get("high"), int(row.get("n_items") or 0))


def _told(name: str, value: str) -> str:
    if name == "language":
        return language_name(value)
    return f"{value}-resource languages" if name == "band" else f"{name} {value}"


def _axis(figures: Sequence[Figure]) -> tuple[float, float, tuple[float, ...]]:
    ends = [end for f in figures for end in (f.value, f.low, f.high) if end is not None]
    low = min(0.0, math.floor(5 * min(ends, default=0.0)) / 5)
    high = max(0.4, math.ceil(5 * max(ends, default=1.0)) / 5)
    step = 0.2 if high - low <= 2 else (high - low) / 5
    count = round((high - low) / step)
    return low, high, tuple(round(low + step * place, 2) for place in range(count + 1))
