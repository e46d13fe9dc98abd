"""Looks figures up among a run's measures and, where there is none, says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from evaluation.measures import MACRO, Findings, Measure, Slice
from evaluation.report.languages import in_reading_order

KAPPA = "linear_kappa"
AGREEMENT = "percentage_agreement"
MAJORITY = "majority"
OTHER_HUMANS = "other-humans"
HUMAN = "human"

State = Literal["ok", "undefined", "absent", "not-covered"]

_TOO_MANY_UNDEFINED = 0.05
"""Share of replicates without a figure above which an interval is marked."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure as the report shows it.

    Attributes:
        value: The figure; `None` unless the state is ``ok``.
        low: Lower end of the interval, where there is one.
        high: Upper end.
        state: ``ok``, or why there is no value.
        n_items: Items behind it.
        derived: The report took the mean of other figures, so there is no interval.
        shaky: Many replicates were undefined, so the interval deserves less trust.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    state: State = "ok"
    n_items: int = 0
    derived: bool = False
    shaky: bool = False

    @property
    def has_interval(self) -> bool:
        """Whether both ends of an interval are known."""
        return self.low is not None and self.high is not None


ABSENT = Figure(None, state="absent")
NOT_COVERED = Figure(None, state="not-covered")
UNDEFINED = Figure(None, state="undefined")


@dataclass(frozen=True, slots=True)
class Subject:
    """One line of a comparison: who is measured, and against whom.

    Attributes:
        rater: Rater, as in `Measure`.
        reference: Reference, as in `Measure`.
        label: Name for people.
        covers: The categories it speaks about.
        mark: Number of its colour and marker; 0 is people's.
    """

    rater: str
    reference: str
    label: str
    covers: tuple[str, ...]
    mark: int = 0

    @property
    def human(self) -> bool:
        """Whether people are measured."""
        return self.mark == 0


@dataclass(frozen=True, slots=True)
class Place:
    """Which items a figure is about, and how their languages were put together."""

    slice: Slice
    aggregate: str


@dataclass(frozen=True, slots=True)
class CategoryInfo:
    """A harm category as the findings describe it."""

    name: str
    title: str
    definition: str = ""
    scale: int | None = None


def cell(language: str) -> Place:
    """Return the place of one language's items."""
    return Place(Slice(language=language), "cell")


class Evidence:
    """A run's findings, ready to be looked up.

    Attributes:
        findings: What the run found.
        categories: The taxonomy, in order.
        systems: Every rater that is not a person.
        humans: Names of the annotators.
        languages: Tags, by resource band and name.
        pairs: The mean pair of annotators, where it was measured.
        left_out: An annotator against the others, where it was measured.
        ceiling: What raters are held against: the latter, else the former.
        home: Where the figures for the whole corpus are.
    """

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self._measures = {_key(m): m for m in reversed(findings.measures)}
        self._languages: dict[tuple[str, str], set[str]] = {}
        for m in findings.measures:
            if m.slice.language and m.slice == Slice(language=m.slice.language):
                self._languages.setdefault((m.rater, m.reference), set()).add(m.slice.language)
        self.categories = _categories(findings)
        self.titles = {category.name: category.title for category in self.categories}
        self.humans = tuple(rater.name for rater in findings.raters if rater.kind == HUMAN)
        systems = [rater for rater in findings.raters if rater.kind != HUMAN]
        self.systems = tuple(
            Subject(rater.name, MAJORITY, rater.name, rater.covers, mark) for mark, rater in enumerate(systems, start=1)
        )
        self.languages = in_reading_order(_languages(findings))
        self._measured = {(m.metric, m.rater, m.reference) for m in findings.measures}
        self.pairs = self._people("human-pairs", "humans", "People: mean pair")
        self.left_out = self._people("human-left-out", OTHER_HUMANS, "People: one against the others")
        self.ceiling = self.left_out or self.pairs
        self.home = self._find_home()

    @property
    def people(self) -> tuple[Subject, ...]:
        """The mean pair and the ceiling, where they were measured."""
        return tuple(subject for subject in (self.pairs, self.left_out) if subject is not None)

    @property
    def confidence(self) -> float:
        """The nominal confidence of the intervals."""
        return float(self.setting("confidence") or 0.95)

    @property
    def has_intervals(self) -> bool:
        """Whether any figure has an interval."""
        return any(m.low is not None and m.high is not None for m in self.findings.measures)

    def setting(self, name: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return one of the settings of the intervals; `None` where it is not recorded."""
        recipe = self.findings.recipe.get("intervals")
        fallback = recipe.get(name) if isinstance(recipe, Mapping) else None
        return self.findings.settings.get(name, fallback)

    def has(self, metric: str, rater: str, reference: str) -> bool:
        """Tell whether a metric was computed at all for a rater and a reference."""
        return (metric, rater, reference) in self._measured

    def like_a_person(self, subject: Subject) -> Subject | None:
        """Return the rater measured as a left-out person is, against the other annotators; `None` where it was not."""
        if not self.has(KAPPA, subject.rater, OTHER_HUMANS):
            return None
        return replace(subject, reference=OTHER_HUMANS)

    def languages_of(self, subject: Subject) -> tuple[str, ...]:
        """Return the languages in which the subject was measured."""
        known = self._languages.get((subject.rater, subject.reference), set())
        return tuple(tag for tag in self.languages if tag in known)

    def figure(self, metric: str, subject: Subject, category: str, place: Place) -> Figure:
        """Return one figure, or the reason why there is none."""
        if category in self.titles and category not in subject.covers:
            return NOT_COVERED
        key = (metric, subject.rater, subject.reference, category, place.slice, place.aggregate)
        measure = self._measures.get(key)
        return ABSENT if measure is None else self._shown(measure)

    def mean(self, metric: str, subject: Subject, categories: Sequence[str], place: Place) -> Figure:
        """Return the mean over some categories.

        The measured mean is used where it is over just these categories. Otherwise the report takes it from the
        categories' own figures, so it has no interval.
        """
        if set(categories) == set(subject.covers):
            measured = self.figure(metric, subject, MACRO, place)
            if measured.state != "absent":
                return measured
        return mean_of([self.figure(metric, subject, category, place) for category in categories])

    def _shown(self, measure: Measure) -> Figure:
        replicates = self.setting("replicates")
        shaky = isinstance(replicates, int) and measure.n_undefined > _TOO_MANY_UNDEFINED * replicates
        if measure.value is None:
            return Figure(None, state="undefined", n_items=measure.n_items)
        return Figure(measure.value, measure.low, measure.high, "ok", measure.n_items, shaky=shaky)

    def _people(self, rater: str, reference: str, label: str) -> Subject | None:
        if not self.has(KAPPA, rater, reference):
            return None
        covered = {name for r in self.findings.raters if r.kind == HUMAN for name in r.covers}
        names = tuple(category.name for category in self.categories)
        return Subject(rater, reference, label, tuple(name for name in names if name in covered) or names)

    def _find_home(self) -> Place:
        places = [Place(Slice(), aggregate) for aggregate in ("macro", "pooled", "cell")]
        if len(self.languages) == 1:
            places.append(cell(self.languages[0]))
        subjects = self.systems or self.people

        def defined(place: Place) -> int:
            return sum(self.figure(KAPPA, subject, MACRO, place).value is not None for subject in subjects)

        return max(places, key=defined)


def mean_of(figures: Sequence[Figure]) -> Figure:
    """Return the unweighted mean of the figures that are defined, as the run's own means are taken."""
    values = [figure.value for figure in figures if figure.value is not None]
    if values:
        return Figure(sum(values) / len(values), n_items=max(figure.n_items for figure in figures), derived=True)
    if any(figure.state == "undefined" for figure in figures):
        return UNDEFINED
    return next((figure for figure in figures if figure.state == "not-covered"), ABSENT)


def _key(m: Measure) -> tuple[str, str, str, str, Slice, str]:
    return (m.metric, m.rater, m.reference, m.category, m.slice, m.aggregate)


def _categories(findings: Findings) -> tuple[CategoryInfo, ...]:
    described = []
    for entry in findings.taxonomy:
        scale = entry.get("scale", entry.get("levels"))
        length = scale if isinstance(scale, int) else len(scale) if isinstance(scale, Sequence) else None
        name = str(entry["name"])
        described.append(
            CategoryInfo(name, str(entry.get("title") or name), str(entry.get("definition") or ""), length)
        )
    if described:
        return tuple(described)
    names = dict.fromkeys(name for rater in findings.raters for name in rater.covers)
    return tuple(CategoryInfo(name, name) for name in names)


def _languages(findings: Findings) -> set[str]:
    tags = {m.slice.language for m in findings.measures if m.slice.language}
    tags |= {count.language for count in findings.statuses}
    return tags | {count.language for count in findings.levels}
