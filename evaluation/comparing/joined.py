"""Several runs over the same items as one: a rater that was run later, or on fewer texts, beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from babelguard.errors import UserError
from evaluation.comparing.stored_run import StoredRun


def join(runs: Sequence[StoredRun]) -> StoredRun:
    """Return the items that all runs hold, with the raters of all.

    Items are the same if id and text are. A rater that stands in two runs with the same settings counts once; two
    raters of one name are told apart by their runs, as ``name@run``. Intervals are made as in the first run.

    Raises:
        UserError: The runs share no item, differ in taxonomy, hold different labels for an item, or have folders of one
            name and different raters of one name.
    """
    return reduce(_joined, runs)


def _joined(first: StoredRun, second: StoredRun) -> StoredRun:
    ours, theirs = first.folders[0], second.folders[0]
    if first.categories != second.categories:
        raise UserError(f"{ours} and {theirs} have different taxonomies; compare runs of the same one.")
    places = {pair: row for row, pair in enumerate(_identities(second))}
    rows = [(row, places[pair]) for row, pair in enumerate(_identities(first)) if pair in places]
    if not rows:
        raise UserError(f"{ours} and {theirs} share no item; compare runs over the same corpus.")
    left, right = np.array(rows, dtype=np.int64).T
    one, other = first.at(left), second.at(right)
    _check_labels(one, other)
    tables, flags = list(one.tables), dict(one.flags)
    known = {table.summary.name: table.summary.fingerprint for table in one.tables}
    for table in other.tables:
        name = table.summary.name
        same = {n for n, mark in known.items() if mark == table.summary.fingerprint}
        if any(n == name or n.startswith(f"{name}@") for n in same):
            continue
        shown = f"{name}@{theirs.name}" if name in known else name
        if shown in known:
            raise UserError(
                f"Several runs in folders named {theirs.name} have a rater {name}, with other settings each; "
                "rename one of the folders."
            )
        tables.append(replace(table, summary=replace(table.summary, name=shown)))
        if name in other.flags:
            flags[shown] = other.flags[name]
    return replace(one, folders=(*first.folders, *second.folders), tables=tuple(tables), flags=flags)


def _identities(run: StoredRun) -> list[tuple[str, str]]:
    return list(zip(run.items.ids.tolist(), run.items.keys.tolist(), strict=True))


def _check_labels(one: StoredRun, other: StoredRun) -> None:
    shape = one.items.raw.shape
    same = np.zeros(len(one.items), dtype=bool)
    if shape == other.items.raw.shape:
        same = (one.items.raw == other.items.raw).all(axis=(0, 2))
    same &= (one.items.published == other.items.published).all(axis=1)
    if not same.all():
        item = one.items.ids[np.flatnonzero(~same)[0]]
        raise UserError(
            f"{one.folders[0]} and {other.folders[0]} hold different labels for the item {item}; "
            "compare runs that read the corpus in the same way."
        )
