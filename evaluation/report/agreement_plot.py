"""Percentage agreement against kappa: one point a rater and language, and one a rater and category."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from evaluation.report import svg
from evaluation.report.comparison import Comparison
from evaluation.report.evidence import AGREEMENT, KAPPA, Evidence, Figure, Subject
from evaluation.report.languages import language_name
from evaluation.report.plot import TOGETHER, Panel, Plot
from evaluation.report.tables import Grid, Group, Row, metric_column
from evaluation.report.wording import listed, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Find: TypeAlias = Callable[[str, Subject, str], Figure]


@dataclass(frozen=True, slots=True)
class _Kind:
    """One of the two plots: its points, and whether their means compare."""

    noun: str
    keys: Sequence[tuple[str, str]]
    find: Find
    means: bool


@dataclass(frozen=True, slots=True)
class _Points:
    """One rater's points: (percentage agreement in per cent, kappa)."""

    subject: Subject
    xs: tuple[float, ...]
    ys: tuple[float, ...]

    @property
    def centre(self) -> tuple[float, float]:
        return sum(self.xs) / len(self.xs), sum(self.ys) / len(self.ys)


def agreement_plots(evidence: Evidence, comparison: Comparison) -> tuple[Plot, ...]:
    """Draw the plots for which there are points of a rater."""
    kinds = []
    if len(evidence.languages) > 1:
        tongues = [(tag, language_name(tag)) for tag in comparison.languages]
        kinds.append(_Kind("language", tongues, comparison.in_language, means=True))

    def in_category(metric: str, subject: Subject, name: str) -> Figure:
        return evidence.figure(metric, subject, name, evidence.home)

    titles = [(category.name, category.title) for category in evidence.categories]
    kinds.append(_Kind("category", titles, in_category, means=not comparison.partial))
    subjects = [subject for subject in (evidence.ceiling, *evidence.systems) if subject is not None]
    plots = [_plot(kind, subjects) for kind in kinds]
    return tuple(plot for plot in plots if plot is not None)


def _plot(kind: _Kind, subjects: Sequence[Subject]) -> Plot | None:
    groups, clouds = [], []
    for subject in subjects:
        pairs = [(kind.find(AGREEMENT, subject, key), kind.find(KAPPA, subject, key)) for key, _ in kind.keys]
        labels = [label for _, label in kind.keys]
        groups.append(Group(subject.label, tuple(Row(label, pair) for label, pair in zip(labels, pairs, strict=True))))
        known = [(100 * x.value, y.value) for x, y in pairs if x.value is not None and y.value is not None]
        if known:
            clouds.append(_Points(subject, tuple(x for x, _ in known), tuple(y for _, y in known)))
    if all(cloud.subject.human for cloud in clouds):
        return None
    title = f"One point a {kind.noun}"
    columns = (metric_column(AGREEMENT), metric_column(KAPPA))
    numbers = Grid(f"Agreement and kappa, one row a {kind.noun}", kind.noun.capitalize(), columns, tuple(groups))
    return Plot(title, _panels(kind, clouds), tuple(cloud.subject for cloud in clouds), numbers)


def _panels(kind: _Kind, clouds: Sequence[_Points]) -> tuple[Panel, ...]:
    together = len(clouds) <= TOGETHER
    chosen = [clouds] if together else [[cloud] for cloud in clouds]
    return tuple(
        Panel(
            subject=None if together else bright[0].subject,
            drawing=svg.draw(
                f"{kind.noun}-{position}",
                (5.0, 3.9) if together else (3.4, 2.8),
                partial(_paint, clouds=clouds, bright=bright, means=kind.means),
            ),
            alternative=_in_words(kind, bright),
        )
        for position, bright in enumerate(chosen)
    )


def _in_words(kind: _Kind, clouds: Sequence[_Points]) -> str:
    told = listed(
        f"{cloud.subject.label}: agreement {number(min(cloud.xs) / 100, 'share')} to "
        f"{number(max(cloud.xs) / 100, 'share')}, kappa {number(min(cloud.ys))} to {number(max(cloud.ys))}"
        for cloud in clouds
    )
    return (
        f"Scatter plot, one point a {kind.noun}: percentage agreement to the right, weighted kappa upwards. {told}. "
        "All numbers are in the table below."
    )


def _paint(axes: Axes, *, clouds: Sequence[_Points], bright: Sequence[_Points], means: bool) -> None:
    for cloud in clouds:
        if cloud not in bright:
            axes.plot(cloud.xs, cloud.ys, "o", markersize=2.5, color=svg.RULE)
    for cloud in bright:
        tint, shape = svg.colour(cloud.subject.mark), svg.marker(cloud.subject.mark)
        inside = svg.GROUND if cloud.subject.human else tint
        axes.plot(cloud.xs, cloud.ys, shape, markersize=4.5, color=tint, markerfacecolor=inside, alpha=0.65)
    for cloud in bright if means else ():
        human, tint = cloud.subject.human, svg.colour(cloud.subject.mark)
        inside, edge = (svg.GROUND, tint) if human else (tint, svg.GROUND)
        (large,) = axes.plot(*([value] for value in cloud.centre), svg.marker(cloud.subject.mark), markersize=11)
        large.set(markerfacecolor=inside, markeredgecolor=edge, markeredgewidth=2.0)
    if axes.get_ylim()[0] < 0:
        axes.axhline(0, color=svg.MUTED, linewidth=0.8, linestyle=(0, (4, 3)))
    _scale(axes)
    axes.grid(visible=True)
    axes.set_xlabel("Percentage agreement (%)")
    axes.set_ylabel("Weighted kappa")
    axes.tick_params(length=0)


def _scale(axes: Axes) -> None:
    """Keep small differences small: the axes span at least ten points and a fifth of kappa's range."""
    from matplotlib.ticker import MaxNLocator

    for axis, interval, least in (
        (axes.xaxis, axes.get_xlim(), 10.0),
        (axes.yaxis, axes.get_ylim(), 0.2),
    ):
        low, high = interval
        slack = max(0.0, least - (high - low)) / 2
        axis.set_view_interval(low - slack, high + slack, ignore=True)
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.yaxis.set_major_formatter("{x:.2f}")
