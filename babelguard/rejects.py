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
class FileRows:
    """What became of the rows of one file: every row gives items, is set aside, or is left out.

    Attributes:
        rows: Rows that the reader found in the file, readable or not.
        with_items: Rows that gave at least one item.
        items: The items that they gave.
        set_aside: Rows that could not be read, by kind.
        left_out: Readable rows that give no item on purpose, by kind.
        refused: Why the file was not read, or not to its end, as a short name; its rows from there on are in no count.
    """

    rows: int = 0
    with_items: int = 0
    items: int = 0
    set_aside: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    refused: str = ""

    def unaccounted(self) -> int:
        """Return how many rows of the file have no fate, or several (negative); anything but 0 is a defect."""
        return self.rows - self.with_items - self.set_aside.total() - self.left_out.total()


@dataclass(slots=True)
class RejectLog:
    """Collects the rows that readers could not read, and counts what became of all others.

    Attributes:
        strict: Stop at the first one.
        remedy: What to do about it, added to the error of a strict log.
        rejections: What was set aside so far.
        left_out: Readable rows that the format or the recipe leaves out on purpose, counted by kind.
        remarks: Rows that were read, but not as one would expect; sentences, each with its count.
        files: What became of the rows of each file, by its path.
    """

    strict: bool = False
    remedy: str = ""
    rejections: list[Rejection] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    remarks: Counter[str] = field(default_factory=Counter)
    files: dict[str, FileRows] = field(default_factory=dict)

    def rows_of(self, file: Path) -> FileRows:
        """Return the account of a file's rows."""
        return self.files.setdefault(str(file), FileRows())

    def reject(self, file: Path, line: int | None, kind: str, reason: str) -> None:
        """Set aside a row, a part of one, or a whole file.

        Raises:
            UserError: The log is strict.
        """
        rejection = Rejection(str(file), line, kind, reason)
        if self.strict:
            raise UserError(f"{rejection.sentence()} {self.remedy}".strip())
        self.rejections.append(rejection)

    def reject_row(self, file: Path, line: int | None, kind: str, reason: str) -> None:
        """Set a whole row aside, which gives no item.

        Raises:
            UserError: The log is strict.
        """
        self.reject(file, line, kind, reason)
        self.rows_of(file).set_aside[kind] += 1

    def reject_file(self, file: Path, line: int | None, kind: str, reason: str) -> None:
        """Refuse a file as a whole, or from a line on.

        Raises:
            UserError: The log is strict.
        """
        self.reject(file, line, kind, reason)
        self.rows_of(file).refused = kind

    def leave_out(self, kind: str, count: int = 1) -> None:
        """Count readable rows, or parts of them, that are left out on purpose; this never stops the work."""
        self.left_out[kind] += count

    def leave_out_row(self, file: Path, kind: str) -> None:
        """Count a readable row that is left out whole on purpose."""
        self.leave_out(kind)
        self.rows_of(file).left_out[kind] += 1

    def not_asked_for(self, file: Path, kind: str = "not-asked-for") -> None:
        """Count a row that gives no item because of what was asked for; that is in the file's account alone."""
        self.rows_of(file).left_out[kind] += 1

    def found_row(self, file: Path) -> None:
        """Count a row of a file, whatever will become of it."""
        self.rows_of(file).rows += 1

    def row_gave(self, file: Path, items: int) -> None:
        """Count a row that became items."""
        account = self.rows_of(file)
        account.with_items += 1
        account.items += items

    def remark(self, sentence: str) -> None:
        """Count a row that was read, but not as one would expect."""
        self.remarks[sentence] += 1

    def counts(self) -> Counter[str]:
        """Return how many rows were set aside, by kind."""
        return Counter(rejection.kind for rejection in self.rejections)
