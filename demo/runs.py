"""Finished evaluations: the run folders below the folders that the demo was given, and what one of them holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from demo.run_record import fault_of

METRICS, REPORT = "metrics.json", "report.html"
LARGEST = 400_000_000
"""Bytes of a `metrics.json` that is still opened."""
_DEEPEST = 2
"""Folders below a root in which runs are looked for."""


@dataclass(frozen=True)
class Run:
    """One finished evaluation.

    Attributes:
        folder: Its folder.
        record: What its `metrics.json` says.
    """

    folder: Path
    record: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The recipe's name."""
        return str(self.record["recipe"].get("name") or self.folder.name)

    @property
    def description(self) -> str:
        """What the recipe says about itself."""
        return str(self.record["recipe"].get("description") or "")

    @property
    def corpus(self) -> Mapping[str, Any]:
        """Source, licence and counts of the items."""
        corpus: Mapping[str, Any] = self.record["corpus"]
        return corpus

    @property
    def notes(self) -> Sequence[str]:
        """Sentences that a reader must know."""
        return tuple(map(str, self.record.get("notes", ())))

    @cached_property
    def categories(self) -> dict[str, str]:
        """Category -> title, in the taxonomy's order."""
        return {str(entry["name"]): str(entry.get("title") or entry["name"]) for entry in self.record["taxonomy"]}

    @property
    def raters(self) -> Sequence[Mapping[str, Any]]:
        """The raters, people first."""
        raters: Sequence[Mapping[str, Any]] = self.record["raters"]
        return raters

    @property
    def measures(self) -> Sequence[Mapping[str, Any]]:
        """All figures, as flat rows."""
        measures: Sequence[Mapping[str, Any]] = self.record["measures"]
        return measures

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the run's Parquet tables."""
        return tuple(sorted(path.stem for path in self.folder.glob("*.parquet")))

    def report(self) -> str:
        """Return the HTML report; empty where there is none.

        Raises:
            UserError: It cannot be read.
        """
        path = self.folder / REPORT
        try:
            return path.read_text(encoding="utf-8") if path.is_file() else ""
        except (OSError, UnicodeError) as error:
            kind = error.__class__.__name__
            raise UserError(f"{REPORT} of {self.folder.name} cannot be read ({kind}); write it anew.") from None

    @property
    def files(self) -> tuple[Path, ...]:
        """What can be downloaded: figures, tables and report; never the ratings, whose raw answers may quote texts."""
        names = (METRICS, REPORT, "recipe.yaml", "environment.json")
        found = [self.folder / name for name in names if (self.folder / name).is_file()]
        return (*found, *sorted(self.folder.glob("*.parquet")))


def list_runs(roots: Sequence[Path]) -> dict[str, Path]:
    """Return the run folders below some roots, the newest first: what they are called -> folder."""
    found: dict[Path, float] = {}
    for root in roots:
        for folder in _folders(root, _DEEPEST):
            metrics = folder / METRICS
            with suppress(OSError):  # it may be deleted meanwhile, or not be readable
                if metrics.is_file():
                    found[folder] = metrics.stat().st_mtime
    newest = sorted(found, key=lambda folder: -found[folder])
    names = [folder.name for folder in newest]
    return {(f.name if names.count(f.name) == 1 else str(f)): f for f in newest}


def open_run(folder: Path) -> Run:
    """Read a run; one that was read lately, and has not changed since, is not read again.

    Raises:
        UserError: The folder holds no figures, or they are not what `evaluation.run` writes.
    """
    try:
        changed = (folder / METRICS).stat().st_mtime_ns
    except OSError:
        changed = 0
    return _read(folder, changed)


@lru_cache(maxsize=4)
def _read(folder: Path, changed: int) -> Run:  # noqa: ARG001 - a changed file is read anew
    path = folder / METRICS
    try:
        if path.stat().st_size > LARGEST:
            raise UserError(f"{path.name} of {folder.name} has more than {LARGEST // 1_000_000} MB; open its report.")
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{folder.name} holds no {METRICS}; finish the run with python -m evaluation.run.") from None
    except (OSError, ValueError, RecursionError) as error:
        kind = error.__class__.__name__
        raise UserError(f"{METRICS} of {folder.name} cannot be read ({kind}); run the evaluation again.") from None
    fault = fault_of(record)
    if fault:
        raise UserError(
            f"{METRICS} of {folder.name}: {fault!r} is missing or not what it should be; it is not a file that "
            "evaluation.run wrote. Run the evaluation again."
        )
    return Run(folder, record)


def read_table(run: Run, name: str, most: int = 1000) -> tuple[list[str], list[list[Any]], int]:
    """Read the first rows of one of a run's Parquet tables.

    Returns:
        Headings, rows with their figures rounded to four decimals, and how many rows the table has.

    Raises:
        UserError: The run has no such table, or it is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if name not in run.tables:
        raise UserError(f"{run.folder.name} has no table {name!r:.40}; it has {', '.join(run.tables)}.")
    try:
        with pq.ParquetFile(run.folder / f"{name}.parquet") as file:
            total = file.metadata.num_rows
            batch = next(file.iter_batches(batch_size=most), None)
            headings = list(file.schema_arrow.names)
        columns = [batch.column(place).to_pylist() for place in range(len(headings))] if batch is not None else []
    except (pa.ArrowException, ValueError, OSError) as error:
        raise UserError(
            f"{name}.parquet of {run.folder.name} cannot be read ({error.__class__.__name__}); "
            "run the evaluation again."
        ) from None
    return headings, [[_short(cell) for cell in row] for row in zip(*columns, strict=True)], total


def _short(cell: Any) -> Any:  # noqa: ANN401 - a cell of any kind
    return round(cell, 4) if isinstance(cell, float) else cell


def _folders(root: Path, depth: int) -> Iterator[Path]:
    if not root.is_dir():
        return
    yield root
    if depth == 0:
        return
    children: list[Path] = []
    with suppress(OSError):  # nothing could be opened below a folder that cannot be listed
        children = [path for path in sorted(root.iterdir()) if path.is_dir() and not path.name.startswith(".")]
    for child in children:
        yield from _folders(child, depth - 1)
