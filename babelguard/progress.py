"""Progress of long work: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO, TypeAlias

Shown: TypeAlias = Callable[[str, int], None]
"""Told what is being worked on, and how many items of it are done."""
SECONDS_BETWEEN_LINES = 10.0


class Progress(Protocol):
    """Counts items that are done."""

    def advance(self, count: int) -> None:
        """Count further items."""
        ...


class PlainProgress:
    """Writes a line now and then."""

    def __init__(self, label: str, total: int, stream: TextIO) -> None:
        """Start counting from zero."""
        self.label, self.total, self.stream = label, total, stream
        self.done = 0
        self._next_line = time.monotonic() + SECONDS_BETWEEN_LINES

    def advance(self, count: int) -> None:
        """Count further items, and write a line where the last one is some seconds old."""
        self.done += count
        if time.monotonic() >= self._next_line:
            self.write()
            self._next_line = time.monotonic() + SECONDS_BETWEEN_LINES

    def write(self) -> None:
        """Write where the work stands."""
        self.stream.write(f"{self.label}: {self.done:,} of {self.total:,} items\n")
        self.stream.flush()


class _BarProgress:
    def __init__(self, label: str, total: int) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.bar = Bar(*columns)
        self.task = self.bar.add_task(label, total=total)

    def advance(self, count: int) -> None:
        self.bar.advance(self.task, count)


@contextmanager
def progress(label: str, total: int, stream: TextIO | None = None) -> Iterator[Progress]:
    """Show the progress of one piece of work, on standard error if no stream is given."""
    stream = stream or sys.stderr
    if stream.isatty():
        shown = _BarProgress(label, total)
        with shown.bar:
            yield shown
        return
    plain = PlainProgress(label, total, stream)
    yield plain
    plain.write()


@contextmanager
def counting(stream: TextIO | None = None) -> Iterator[Shown]:
    """Show work that goes from one thing to the next, where nobody knows how many items are to come."""
    shown = stream or sys.stderr
    if shown.isatty():
        from rich.console import Console

        with Console(file=shown).status("starting") as status:
            yield lambda label, count: status.update(f"{label}: {count:,} items")
        return
    last = time.monotonic()

    def write(label: str, count: int) -> None:
        nonlocal last
        if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            shown.write(f"{label}: {count:,} items\n")
            shown.flush()

    yield write
