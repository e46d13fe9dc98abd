"""The folder that a run leaves: recipe, environment, items, ratings, rejected rows, figures and report."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from babelguard.errors import UserError
from evaluation.measures import Findings
from evaluation.ratings_file import RatingsFile

REPORTED_PACKAGES = ("babelguard", "numpy", "scipy", "scikit-learn", "pyarrow", "pydantic", "torch", "transformers")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Paths inside one run's folder, and how its files are written: whole or not at all."""

    path: Path

    @property
    def report(self) -> Path:
        """The HTML report."""
        return self.path / "report.html"

    def ratings(self, rater: str) -> RatingsFile:
        """Return the append-only file of one rater."""
        return RatingsFile(self.path / "ratings" / f"{rater}.jsonl")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder while working in it.

        Raises:
            UserError: Another process works in it.
        """
        from filelock import FileLock, Timeout

        self.path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.path / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise UserError(f"Another process works in {self.path}; wait for it to end, or stop it.") from None
        try:
            yield
        finally:
            lock.release()

    def write_text(self, name: str, text: str) -> None:
        """Write a text file."""
        target = self.path / name
        partial = target.with_name(f"{target.name}.partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)

    def write_recipe(self, recipe: Mapping[str, Any]) -> None:
        """Write the resolved recipe."""
        self.write_text("recipe.yaml", yaml.safe_dump(dict(recipe), sort_keys=False, allow_unicode=True))

    def write_environment(self) -> None:
        """Write what the run was made with: versions and machine, apart from the figures so that those reproduce."""
        versions = {}
        for package in REPORTED_PACKAGES:
            try:
                versions[package] = metadata.version(package)
            except metadata.PackageNotFoundError:
                continue
        record = {
            "python": sys.version.split()[0],
            "platform": platform.platform(),
            "machine": platform.machine(),
            "packages": versions,
        }
        self.write_text("environment.json", json.dumps(record, indent=2) + "\n")

    def write_findings(self, findings: Findings) -> None:
        """Write `metrics.json`, and one Parquet table for each kind of record in it."""
        record = findings.to_dict()
        self.write_text("metrics.json", json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
        self._write_parquet("metrics", record["measures"])
        self._write_parquet("statuses", record["statuses"])
        self._write_parquet("levels", record["levels"])
        rows = [{**row["slice"], **row} for row in record["differences"]]
        self._write_parquet("differences", [{k: v for k, v in row.items() if k != "slice"} for row in rows])

    def _write_parquet(self, name: str, rows: list[dict[str, Any]]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        target = self.path / f"{name}.parquet"
        if not rows:
            target.unlink(missing_ok=True)
            return
        partial = target.with_name(f"{target.name}.partial")
        pq.write_table(pa.Table.from_pylist(rows), partial)
        partial.replace(target)
