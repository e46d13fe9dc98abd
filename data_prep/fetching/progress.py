"""Progress of a fetch: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

STEP_PERCENT = 25


@dataclass(slots=True)
class LineProgress:
    """Prints a line at every quarter of a file."""

    write: Callable[[str], object]
    _told: dict[str, int] = field(default_factory=dict)

    def __call__(self, path: str, done: int, total: int | None) -> None:
        """Print a line if a further quarter is there."""
        if not total:
            return
        quarter = 100 * done // total // STEP_PERCENT
        if quarter > self._told.get(path, 0):
            self._told[path] = quarter
            self.write(f"  {path}: {quarter * STEP_PERCENT}% of {total:,} bytes\n")


@contextmanager
def progress_of_fetch() -> Iterator[Callable[[str, int, int | None], None]]:
    """Give what `fetch_file` tells its progress to."""
    if not sys.stderr.isatty():
        yield LineProgress(sys.stderr.write)
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        tasks: dict[str, TaskID] = {}

        def tell(path: str, done: int, total: int | None) -> None:
            if path not in tasks:
                tasks[path] = bar.add_task(path, total=total)
            bar.update(tasks[path], completed=done, total=total)

        yield tell
