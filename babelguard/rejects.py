"""Rows that could not be read: each is named, counted and kept, or stops the work."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from babelguard.errors import UserError


@dataclass(frozen=True, slots=True)
class Rejection:
    """One row that was not read.

    Attributes:
        file: Name of the file.
        line: Line number from 1, where the format has lines.
        kind: A short name, the same for all rows rejected for the same cause.
        reason: The cause as a clause.
    """

    file: str
    line: int | None
    kind: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the rejection as plain JSON values."""
        return asdict(self)

    def sentence(self) -> str:
        """Return the cause as a sentence that names file and line."""
        where = f"{self.file}, line {self.line}" if self.line is not None else self.file
        return f"{where}: {self.reason}."


@dataclass(slots=True)
class RejectLog:
    """Collects the rows that readers could not read.

    Attributes:
        strict: Stop at the first one.
        remedy: What to do about it, added to the error of a strict log.
        rejections: What was set aside so far.
        left_out: Readable rows that the format or the recipe leaves out on purpose, counted by kind.
        remarks: Rows that were read, but not as one would expect; sentences, each with its count.
    """

    strict: bool = False
    remedy: str = ""
    rejections: list[Rejection] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    remarks: Counter[str] = field(default_factory=Counter)

    def reject(self, file: Path, line: int | None, kind: str, reason: str) -> None:
        """Set a row aside.

        Raises:
            UserError: The log is strict.
        """
        rejection = Rejection(str(file), line, kind, reason)
        if self.strict:
            raise UserError(f"{rejection.sentence()} {self.remedy}".strip())
        self.rejections.append(rejection)

    def leave_out(self, kind: str, count: int = 1) -> None:
        """Count readable rows that are left out on purpose; this never stops the work."""
        self.left_out[kind] += count

    def remark(self, sentence: str) -> None:
        """Count a row that was read, but not as one would expect."""
        self.remarks[sentence] += 1

    def counts(self) -> Counter[str]:
        """Return how many rows were set aside, by kind."""
        return Counter(rejection.kind for rejection in self.rejections)
