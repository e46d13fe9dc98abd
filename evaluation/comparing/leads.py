"""Where one rater is ahead of others: paired differences on the texts that both rated, by language and overall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from babelguard.errors import UserError
from evaluation.comparing.figures import MetricFigures, figures_on
from evaluation.comparing.ground import SharedGround, share
from evaluation.comparing.stored_run import StoredRun
from evaluation.measures import MACRO, Difference, Slice
from evaluation.measuring.differences import corrected, difference_of
from evaluation.measuring.subject import HUMAN_LEFT_OUT, Subject
from evaluation.metrics.resampling import Resamples
from evaluation.metrics.statistic import Statistic, compare


@dataclass(frozen=True, slots=True, eq=False)
class Duel:
    """One rater against one other.

    Attributes:
        ground: What the two share.
        other: The other's name.
        figures: Both raters' figures by metric.
    """

    ground: SharedGround
    other: str
    figures: Mapping[str, MetricFigures]


@dataclass(frozen=True, slots=True)
class Leads:
    """Where a rater is ahead.

    Attributes:
        rater: Its name.
        others: Those that it is held against.
        differences: Its figures less theirs, overall, by category and by language. The overall ones have p-values
            that are corrected for their number in a metric.
        ahead: Languages in which it is ahead of every other that rated texts there, in every metric.
        settled: Those of them in which every interval lies above zero.
        behind: The other languages.
        not_rated: Language -> others that have no figure there, and so were not beaten.
    """

    rater: str
    others: tuple[str, ...]
    differences: tuple[Difference, ...]
    ahead: tuple[str, ...]
    settled: tuple[str, ...]
    behind: tuple[str, ...]
    not_rated: Mapping[str, tuple[str, ...]]


def duels(
    rater: str,
    others: Sequence[str],
    run: StoredRun,
    subjects: Sequence[Subject],
    metrics: Sequence[str],
    resamples: Resamples,
) -> list[Duel]:
    """Hold one rater against others, each on the ground of the two.

    Raises:
        UserError: The two share no category or no text.
    """
    known = {subject.rater: subject for subject in subjects if subject.rater != HUMAN_LEFT_OUT}
    found = []
    for other in others:
        shared = [c for c in known[rater].categories if c in known[other].categories]
        ground = share(run, [known[rater], known[other]], shared) if shared else None
        if ground is None:
            raise UserError(f"{rater} and {other} gave no levels for the same texts and categories; leave one out.")
        found.append(Duel(ground, other, figures_on(ground, run, metrics, resamples)))
    return found


def leads_of(rater: str, fought: Sequence[Duel], run: StoredRun) -> Leads:
    """Say in which languages the rater is ahead in everything."""
    found = [row for duel in fought for row in _differences(rater, duel, run)]
    whole = [row.category == MACRO and row.slice == Slice() for row in found]
    overall = corrected([row for row, wanted in zip(found, whole, strict=True) if wanted])
    differences = [*overall, *(row for row, wanted in zip(found, whole, strict=True) if not wanted)]
    by_language: dict[str, list[Difference]] = {}
    for row in differences:
        if row.slice.language is not None:
            by_language.setdefault(row.slice.language, []).append(row)
    languages = sorted({tag for duel in fought for tag in duel.ground.languages})
    others = tuple(duel.other for duel in fought)
    metrics = len(fought[0].figures)
    ahead = tuple(tag for tag in languages if _is_ahead(by_language.get(tag, ()), metrics))
    return Leads(
        rater=rater,
        others=others,
        differences=tuple(differences),
        ahead=ahead,
        settled=tuple(tag for tag in ahead if all(_above(row.low) for row in by_language[tag])),
        behind=tuple(tag for tag in languages if tag not in ahead),
        not_rated={
            tag: absent
            for tag in languages
            if (absent := tuple(o for o in others if all(row.other != o for row in by_language.get(tag, ()))))
        },
    )


def _is_ahead(rows: Sequence[Difference], metrics: int) -> bool:
    """Tell whether all differences are above zero, and there is one in every metric: what is undefined is no lead."""
    complete = len(rows) == metrics * len({row.other for row in rows})
    return bool(rows) and complete and all(_above(row.value) for row in rows)


def _above(value: float | None) -> bool:
    return value is not None and value > 0


def _differences(rater: str, duel: Duel, run: StoredRun) -> Iterator[Difference]:
    names, ground = run.categories.names, duel.ground
    for metric, figures in duel.figures.items():
        pairs: list[tuple[str, Slice, Statistic | None, Statistic | None]]
        pairs = [(MACRO, Slice(), figures.overall(rater), figures.overall(duel.other))]
        pairs += [
            (names[c], Slice(), figures.category(rater, c), figures.category(duel.other, c)) for c in ground.categories
        ]
        pairs += [
            (MACRO, Slice(language=tag), figures.language(rater, tag), figures.language(duel.other, tag))
            for tag in ground.languages
        ]
        for category, where, ours, theirs in pairs:
            if ours is None or theirs is None:
                continue
            found = compare(ours, theirs, level=run.intervals.confidence)
            yield difference_of(found, metric=metric, rater=rater, other=duel.other, category=category, where=where)
