"""One comparison from run folders to records: the steps behind `python -m evaluation.compare`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from babelguard.errors import UserError
from evaluation.comparing.figures import MetricFigures, figures_on, measures_of
from evaluation.comparing.flagging import flag_measures, is_benign
from evaluation.comparing.ground import SharedGround, find_grounds, subjects_of
from evaluation.comparing.joined import join
from evaluation.comparing.leads import Leads, duels, leads_of
from evaluation.comparing.selection import (
    Selection,
    check_leads,
    check_metrics,
    check_rater,
    check_reference,
    check_rows,
    choose_raters,
    chosen_categories,
    select_rows,
)
from evaluation.comparing.stored_run import StoredRun, read_run
from evaluation.measures import Measure
from evaluation.measuring.agreement import draw_resamples
from evaluation.metrics.levels import MISSING
from evaluation.metrics.resampling import Resamples


@dataclass(frozen=True, slots=True, eq=False)
class GroundFigures:
    """What raters reach on the ground that they share.

    Attributes:
        ground: Raters, categories and texts.
        metrics: The metrics' figures, by name.
        measures: The same as flat records.
    """

    ground: SharedGround
    metrics: dict[str, MetricFigures]
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """All that was compared.

    Attributes:
        run: The labelled texts that were chosen, with the raters.
        selection: What was chosen.
        grounds: Figures for every set of categories, the widest first.
        leads: Where one rater is ahead of others, if that was asked for.
        flags: How much each rater flags.
    """

    run: StoredRun
    selection: Selection
    grounds: tuple[GroundFigures, ...]
    leads: Leads | None
    flags: tuple[Measure, ...]


def compare_runs(
    paths: Sequence[Path], selection: Selection, rater: str | None = None, against: Sequence[str] = ()
) -> Comparison:
    """Compare the raters of finished runs on the same texts.

    Args:
        paths: Run folders over the same corpus.
        selection: What to compare.
        rater: Whose leads are wanted.
        against: Over whom; over all others if empty.

    Raises:
        UserError: A folder is no finished run, a name is unknown, or nothing is left to compare.
    """
    if against and rater is None:
        raise UserError("--against says whom a rater is held against; name that rater with --rater.")
    check_metrics(selection.metrics)
    check_reference(selection.reference)
    if rater is not None:
        check_leads(selection.metrics)
    run = choose_raters(join([read_run(path) for path in paths]), selection.raters)
    categories = chosen_categories(run, selection.categories)
    others = _others(run, rater, against)
    labelled = (run.items.raw > 0).any(axis=(0, 2)) | (run.items.published != MISSING).any(axis=1)
    check_rows(run, selection, labelled)
    texts = labelled & select_rows(run, selection, roles=True)
    benign = is_benign(run) & ~labelled & select_rows(run, selection, roles=False)
    chosen = run.at(texts)
    subjects = subjects_of(chosen, selection.reference, categories)
    resamples = draw_resamples(chosen.items, run.intervals)
    grounds = tuple(_figures(each, chosen, selection, resamples) for each in find_grounds(chosen, subjects))
    if not grounds:
        raise UserError("No two raters gave levels for the same labelled texts and categories; choose others.")
    leads = None
    if rater is not None:
        fought = duels(rater, others, chosen, subjects, selection.metrics, resamples)
        leads = leads_of(rater, fought, chosen)
    used = run.at(np.asarray(texts | benign))
    flags = tuple(flag_measures(used, texts[texts | benign], benign[texts | benign]))
    return Comparison(chosen, selection, grounds, leads, flags)


def _figures(ground: SharedGround, run: StoredRun, selection: Selection, resamples: Resamples) -> GroundFigures:
    metrics = figures_on(ground, run, selection.metrics, resamples)
    rows = (measures_of(each, ground, run.categories.names, run.intervals) for each in metrics.values())
    return GroundFigures(ground, metrics, tuple(row for each in rows for row in each))


def _others(run: StoredRun, rater: str | None, against: Sequence[str]) -> tuple[str, ...]:
    if rater is None:
        return ()
    check_rater(run, rater)
    for name in against:
        check_rater(run, name)
    others = tuple(dict.fromkeys(against)) or tuple(name for name in run.raters if name != rater)
    if rater in others:
        raise UserError(f"{rater} is held against itself; leave it out of --against.")
    if not others:
        raise UserError(f"{rater} is the only rater; give a run that has others, or a second run.")
    return others
