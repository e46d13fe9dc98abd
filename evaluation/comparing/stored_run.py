"""A finished run, read back: what was rated, what people and raters said, and how its intervals were made."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from babelguard.rating import Rating
from babelguard.taxonomy import Taxonomy, taxonomy
from evaluation.item_table import ItemTable, read_item_table
from evaluation.measures import RaterSummary
from evaluation.measuring.agreement import Intervals
from evaluation.metrics.levels import MISSING
from evaluation.raters.guard_bundle import flagged_categories
from evaluation.rating_table import RatingTable, load_rating_table
from evaluation.run_folder import RunFolder

HUMAN = "human"
GUARD = "guard-bundle"

Flags = NDArray[np.int8]
"""An item each: 2 flagged, 1 not flagged, `MISSING` where the rater was not asked or read no text."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """Ratings of one run, or of several over the same items.

    Attributes:
        folders: The run folders.
        items: What was rated.
        tables: What the raters said, in the recipe's order.
        categories: The taxonomy.
        intervals: How intervals are made.
        flags: Rater -> what it flagged at thresholds of its own, for raters that have such.
    """

    folders: tuple[Path, ...]
    items: ItemTable
    tables: tuple[RatingTable, ...]
    categories: Taxonomy
    intervals: Intervals
    flags: dict[str, Flags] = field(default_factory=dict)

    @property
    def raters(self) -> tuple[str, ...]:
        """The raters' names."""
        return tuple(table.summary.name for table in self.tables)

    def at(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> StoredRun:
        """Return the run on some of its items, by mask or by position."""
        return StoredRun(
            self.folders,
            self.items.at(rows),
            tuple(table.at(rows) for table in self.tables),
            self.categories,
            self.intervals,
            {name: flags[rows] for name, flags in self.flags.items()},
        )


def read_run(path: Path) -> StoredRun:
    """Read a run folder.

    Raises:
        UserError: The folder is none of a finished run, or a file in it is damaged.
    """
    record = _findings(path)
    try:
        chosen = taxonomy(record["recipe"]["taxonomy"])
        settings = record["settings"]
        intervals = Intervals(*(settings[name] for name in ("replicates", "confidence", "method", "seed")))
        summaries = [RaterSummary(**{**row, "covers": tuple(row["covers"])}) for row in record["raters"]]
    except (KeyError, TypeError) as error:
        raise UserError(
            f"{path / 'metrics.json'} is not as `python -m evaluation.run` writes it ({error}); run its recipe again."
        ) from None
    items = read_item_table(path / "items.parquet", chosen)
    tables, flags = [], {}
    for summary in summaries:
        if summary.kind != HUMAN:
            table, flagged = _ratings(path, summary, items, chosen)
            tables.append(table)
            if flagged is not None:
                flags[summary.name] = flagged
    return StoredRun((path,), items, tuple(tables), chosen, intervals, flags)


def _findings(path: Path) -> dict[str, Any]:
    if not path.is_dir():
        raise UserError(f"{path} is no folder; give one that `python -m evaluation.run` left, such as runs/NAME-HASH.")
    try:
        record = json.loads((path / "metrics.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(
            f"{path} holds no metrics.json: it is no run folder, or its run is not finished. "
            f"Start `python -m evaluation.run {path / 'recipe.yaml'}` again, and it goes on where it was."
        ) from None
    except ValueError as error:
        raise UserError(f"{path / 'metrics.json'} is no JSON ({error}); run its recipe again.") from None
    if not isinstance(record, dict):
        raise UserError(f"{path / 'metrics.json'} holds no record of a run; run its recipe again.")
    return record


def _ratings(
    path: Path, summary: RaterSummary, items: ItemTable, categories: Taxonomy
) -> tuple[RatingTable, Flags | None]:
    flagged: dict[str, int] = {}

    def note(rating: Rating) -> None:
        found = flagged_categories(rating)
        if found is not None:
            flagged[rating.item] = 2 if found else 1

    file = RunFolder(path).ratings(summary.name)
    watch: Callable[[Rating], None] | None = note if summary.kind == GUARD else None
    table = load_rating_table(file, summary, items, categories, watch)
    if (table.statuses == -1).all():
        raise UserError(
            f"{file.path} holds no rating of the run's items as metrics.json names its rater; run the recipe again."
        )
    if watch is None:
        return table, None
    return table, np.array([flagged.get(item, MISSING) for item in items.ids.tolist()], dtype=np.int8)
