"""What is compared: which raters, on which part of a run, by which metrics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError, unknown_name
from babelguard.languages import language
from evaluation.comparing.stored_run import StoredRun
from evaluation.measuring.subject import MAJORITY, OTHER_HUMANS
from evaluation.metrics.by_name import CONFUSION_METRICS

REFERENCES = (MAJORITY, OTHER_HUMANS)
METRICS = ("linear_kappa", "macro_f1")
NO_LEADS = (
    "signed_error",
    "false_positive_rate",
    "binary_use",
    "binary_use_excess",
    "prevalence_index",
    "bias_index",
)
"""Metrics of which more is not better."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Choices; an empty one is everything that the run has.

    Attributes:
        raters: Names.
        languages: Tags or codes to keep.
        without: Tags or codes of languages to leave out.
        categories: Names.
        roles: Roles of the labelled texts; benign completions, which nobody labels, are measured apart.
        registers: Registers.
        metrics: Names from `CONFUSION_METRICS`.
        reference: ``majority`` of all annotators, or ``other-humans``: each rater against what all annotators but one
            say, as a person is measured who is left out.
    """

    raters: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    registers: tuple[str, ...] = ()
    metrics: tuple[str, ...] = METRICS
    reference: str = MAJORITY


def choose_raters(run: StoredRun, names: Iterable[str]) -> StoredRun:
    """Return the run with some of its raters, in the order asked for; with all if none is named.

    Raises:
        UserError: The run has no rater of a name.
    """
    wanted = tuple(dict.fromkeys(names))
    known = {table.summary.name: table for table in run.tables}
    for name in wanted:
        check_rater(run, name)
    return replace(run, tables=tuple(known[name] for name in wanted)) if wanted else run


def check_rater(run: StoredRun, name: str) -> None:
    """Raise a `UserError` where the run has no rater of that name."""
    if name not in run.raters:
        raise unknown_name("rater of the run", name, run.raters)


def chosen_categories(run: StoredRun, names: Iterable[str]) -> tuple[int, ...]:
    """Return the positions of the categories in the taxonomy's order; all if none is named.

    Raises:
        UserError: The taxonomy has no category of a name.
    """
    wanted = {run.categories[name].name for name in names}
    return tuple(place for place, name in enumerate(run.categories.names) if not wanted or name in wanted)


def check_metrics(names: Iterable[str]) -> None:
    """Raise a `UserError` where there is no metric of a name."""
    for name in names:
        if name not in CONFUSION_METRICS:
            raise unknown_name("metric", name, CONFUSION_METRICS)


def check_leads(metrics: Iterable[str]) -> None:
    """Raise a `UserError` where nobody can be ahead in a metric, as more of it is not better."""
    for name in metrics:
        if name in NO_LEADS:
            raise UserError(f"More of {name} is not better, so that no rater is ahead in it; leave out --rater, or it.")


def check_reference(name: str) -> None:
    """Raise a `UserError` where there is no reference of that name."""
    if name not in REFERENCES:
        raise unknown_name("reference", name, REFERENCES)


def select_rows(run: StoredRun, selection: Selection, *, roles: bool) -> NDArray[np.bool_]:
    """Return which items are of the chosen languages, registers and, where asked for, roles."""
    items = run.items
    rows = _among(items.languages, _tags(selection.languages)) & _among(items.registers, selection.registers)
    if roles:
        rows &= _among(items.roles, selection.roles)
    return rows & ~np.isin(items.languages, _tags(selection.without))


def check_rows(run: StoredRun, selection: Selection, labelled: NDArray[np.bool_]) -> None:
    """Raise a `UserError` where no labelled text is of a value that was chosen, or of all of them together."""
    items = run.items
    named = (
        ("language", items.languages, (*_tags(selection.languages), *_tags(selection.without))),
        ("role", items.roles, selection.roles),
        ("register", items.registers, selection.registers),
    )
    for what, column, values in named:
        known = set(column[labelled].tolist())
        for value in values:
            if value not in known:
                listed = ", ".join(sorted(known)) or "none"
                raise UserError(f"No labelled text of the run has the {what} {value!r}; there are: {listed}.")
    if not (labelled & select_rows(run, selection, roles=True)).any():
        raise UserError("No labelled text of the run is in everything that was chosen; choose less.")


def _tags(codes: Iterable[str]) -> tuple[str, ...]:
    return tuple(language(code).tag for code in codes)


def _among(column: NDArray[np.str_], chosen: tuple[str, ...]) -> NDArray[np.bool_]:
    return np.isin(column, chosen) if chosen else np.ones(len(column), dtype=np.bool_)
