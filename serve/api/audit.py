"""The audit log: a random share of the decisions, in a file for each day, for people who review a guard."""

from __future__ import annotations

import hashlib
import os
import queue
import random
import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from babelguard.jsonl import dump_line
from serve.api.settings import AuditSettings

_FILE = re.compile(r"audit-(\d{4}-\d{2}-\d{2})\.jsonl")
_WAITING = 10_000


class AuditLog:
    """Writes decisions in a thread of its own, so that a slow disk delays nobody.

    Files are readable by the server's user alone. A record holds the text only where the settings say so, else its
    SHA-256, by which a known text can be found again.
    """

    def __init__(
        self,
        settings: AuditSettings,
        lost: Callable[[], None],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        draw: Callable[[], float] = random.random,
    ) -> None:
        """Open the log.

        Args:
            settings: Where, how much and for how long.
            lost: Called for each record that could not be written.
            now: The time, UTC.
            draw: Random numbers in [0, 1).

        Raises:
            UserError: The folder cannot be written to.
        """
        self._settings = settings
        self._lost = lost
        self._now = now
        self._draw = draw
        self._day: str | None = None
        self._queue: queue.Queue[dict[str, Any] | None] = queue.Queue(_WAITING)
        try:
            settings.folder.mkdir(parents=True, exist_ok=True)
            self._prune(now())
        except OSError as error:
            raise UserError(f"{settings.folder}: the audit log cannot be kept there ({error.strerror}).") from None
        if not os.access(settings.folder, os.W_OK):
            raise UserError(f"{settings.folder}: the audit log cannot be kept there (no right to write).")
        self._thread = threading.Thread(target=self._write_all, name="audit", daemon=True)
        self._thread.start()

    def offer(self, text: str, record: Callable[[], dict[str, Any]]) -> None:
        """Draw whether a text is logged, and if so, log it; never waits."""
        if self._draw() >= self._settings.share:
            return
        content = text if self._settings.texts else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        name = "text" if self._settings.texts else "text_sha256"
        try:
            self._queue.put_nowait({"time": self._now().isoformat(timespec="seconds"), name: content, **record()})
        except queue.Full:
            self._lost()

    def close(self) -> None:
        """Write what waits."""
        self._queue.put(None)
        self._thread.join()

    def _write_all(self) -> None:
        while (record := self._queue.get()) is not None:
            try:
                self._write(record)
            except OSError:
                self._lost()

    def _write(self, record: dict[str, Any]) -> None:
        day = str(record["time"])[:10]
        if day != self._day:
            self._prune(self._now())
            self._day = day
        path = self._settings.folder / f"audit-{day}.jsonl"
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with open(descriptor, "ab") as stream:  # noqa: PTH123 - a descriptor, for the rights of a new file
            stream.write(dump_line(record))

    def _prune(self, now: datetime) -> None:
        oldest = (now - timedelta(days=self._settings.retention_days)).date().isoformat()
        for path in self._settings.folder.iterdir():
            match = _FILE.fullmatch(path.name)
            if match is not None and match[1] < oldest:
                path.unlink(missing_ok=True)


def audited_files(folder: Path) -> list[Path]:
    """Return the files of an audit log, oldest first."""
    return sorted(path for path in folder.iterdir() if _FILE.fullmatch(path.name))
