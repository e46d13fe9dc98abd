"""Count: what the written shards hold, by column, so that a million rows take seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from babelguard.taxonomy import Taxonomy
from data_prep.building.balance import OUTCOMES
from data_prep.reliability import ReliabilityTally
from evaluation.metrics import MISSING

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ("language", "register", "role", "part", "labels", "aggregated")
ROWS_AT_ONCE = 10_000
Counts = dict[str, int]


@dataclass(frozen=True, slots=True)
class RowCounts:
    """What is in the shards.

    Attributes:
        coverage: Language -> register -> items.
        balance: Split -> language -> outcome -> items.
        levels: Split -> category -> aggregated level -> items.
        reliability: The annotators' levels, by part, role and language.
    """

    coverage: dict[str, Counts]
    balance: dict[str, dict[str, Counts]]
    levels: dict[str, dict[str, Counts]]
    reliability: ReliabilityTally


def count_rows(taxonomy: Taxonomy, folder: Path, shards: Mapping[str, Sequence[str]]) -> RowCounts:
    """Count the rows of every shard.

    Args:
        taxonomy: The categories of the labels.
        folder: The corpus's folder.
        shards: Split -> paths of its shards, relative to the folder.
    """
    import pyarrow.parquet as pq

    counts = RowCounts({}, {}, {}, ReliabilityTally(taxonomy))
    for split, paths in shards.items():
        for path in paths:
            with pq.ParquetFile(folder / path) as file:
                for rows in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=list(COLUMNS)):
                    _count(rows, split, taxonomy, counts)
    return RowCounts(
        coverage={tag: dict(sorted(row.items())) for tag, row in sorted(counts.coverage.items())},
        balance={split: dict(sorted(row.items())) for split, row in counts.balance.items()},
        levels=counts.levels,
        reliability=counts.reliability,
    )


def _count(rows: pa.RecordBatch, split: str, taxonomy: Taxonomy, counts: RowCounts) -> None:
    aggregated = np.stack([_levels(rows.column("aggregated").field(name)) for name in taxonomy.names], axis=1)
    highest = aggregated.max(axis=1)
    outcomes = np.select([highest > 1, highest == 1], [0, 1], 2)
    languages = np.array(rows.column("language").to_pylist(), dtype=object)
    registers = np.array(rows.column("register").to_pylist(), dtype=object)
    for tag in dict.fromkeys(languages):
        here = languages == tag
        names, found = np.unique(registers[here].astype(str), return_counts=True)
        coverage = counts.coverage.setdefault(tag, {})
        for name, count in zip(names.tolist(), found.tolist(), strict=True):
            coverage[name] = coverage.get(name, 0) + count
        balance = counts.balance.setdefault(split, {}).setdefault(tag, dict.fromkeys(OUTCOMES, 0))
        for place, name in enumerate(OUTCOMES):
            balance[name] += int((outcomes[here] == place).sum())
    for place, category in enumerate(taxonomy):
        found = np.bincount(aggregated[:, place], minlength=category.scale + 1)
        if found[1:].any():
            start = {str(level): 0 for level in range(1, category.scale + 1)}
            levels = counts.levels.setdefault(split, {}).setdefault(category.name, start)
            for level in range(1, category.scale + 1):
                levels[str(level)] += int(found[level])
    _tally_annotators(rows, taxonomy, counts.reliability)


def _levels(column: pa.StructArray) -> NDArray[np.int8]:
    """Return the level of each row, 0 where there is none."""
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(pc.struct_field(column, "level"), 0).to_numpy(zero_copy_only=False), dtype=np.int8)


def _tally_annotators(rows: pa.RecordBatch, taxonomy: Taxonomy, tally: ReliabilityTally) -> None:
    columns = [_annotators(rows.column("labels").field(name)) for name in taxonomy.names]
    most = max(column.shape[1] for column in columns)
    padded = [np.pad(c, ((0, 0), (0, most - c.shape[1])), constant_values=MISSING) for c in columns]
    levels = np.stack(padded, axis=1)
    groups = list(zip(*(rows.column(name).to_pylist() for name in ("part", "role", "language")), strict=True))
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    of_row = np.array([numbers[group] for group in groups])
    several = ((levels != MISSING).sum(axis=2) >= 2).any(axis=1)
    for group, number in numbers.items():
        tally.add_levels(group, np.ascontiguousarray(levels[(of_row == number) & several]))


def _annotators(column: pa.ListArray) -> NDArray[np.int8]:
    """Return levels, shape (rows, annotators), padded with `MISSING`."""
    import pyarrow.compute as pc

    lengths = np.asarray(pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False))
    values = np.asarray(pc.fill_null(column.flatten(), MISSING).to_numpy(zero_copy_only=False), dtype=np.int8)
    table = np.full((len(lengths), int(lengths.max(initial=0))), MISSING, dtype=np.int8)
    starts = np.cumsum(lengths) - lengths
    table[np.repeat(np.arange(len(lengths)), lengths), np.arange(len(values)) - np.repeat(starts, lengths)] = values
    return table
