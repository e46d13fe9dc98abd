"""Every item that a build reads, accounted for: what became of it, part by part."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babelguard.rejects import FileRows, RejectLog


@dataclass(slots=True)
class PartTally:
    """What became of one part's rows and items.

    The source's rows, file by file: each gave items, was set aside, or was left out, as its log counts. Then for the
    items ``read + made == rejected + left out + written``.

    Attributes:
        name: The part.
        log: The source's log: rows that could not be read, or were left out by the source.
        read: Items that the source gave.
        made: Twins that register shift added.
        not_made: Twins that it could not make, by register and reason.
        rejected: Items that the build could not take, by kind.
        left_out: Items that a stage left out, by reason.
        written: Items in the shards, by split.
        labelled: Items with a label, by category.
    """

    name: str
    log: RejectLog
    read: int = 0
    made: int = 0
    not_made: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    labelled: Counter[str] = field(default_factory=Counter)

    def problem(self) -> str | None:
        """Return what is missing from the account as a sentence, `None` where nothing is; anything else is a defect."""
        for file, account in self.log.files.items():
            if account.unaccounted():
                return f"{account.unaccounted()} rows of {file} have no fate."
        given = sum(account.items for account in self.log.files.values())
        if given != self.read:
            return (
                f"The source of {self.name} gave {self.read} items and counted {given}; a reader counts its rows with "
                "`items_from`, or with the log's `found_row` and `row_gave`."
            )
        gone = self.rejected.total() + self.left_out.total() + self.written.total()
        lost = self.read + self.made - gone
        return f"{lost} items of {self.name} are lost." if lost else None

    def to_dict(self, folder: Path | None = None) -> dict[str, Any]:
        """Return the account as plain JSON values.

        Args:
            folder: Where the part was read from; files are named from there.
        """
        return {
            "rows": self._rows(folder),
            "items": {
                "read": self.read,
                "made_by_registers": self.made,
                "not_made_by_registers": dict(sorted(self.not_made.items())),
                "rejected": dict(sorted(self.rejected.items())),
                "left_out": dict(sorted(self.left_out.items())),
                "written": dict(sorted(self.written.items())),
            },
            "labelled": {name: self.labelled[name] for name in sorted(self.labelled)},
        }

    def _rows(self, folder: Path | None) -> dict[str, Any]:
        files = self.log.files
        refused = Counter(account.refused for account in files.values() if account.refused)
        set_aside: Counter[str] = sum((account.set_aside for account in files.values()), Counter())
        left_out: Counter[str] = sum((account.left_out for account in files.values()), Counter())
        return {
            "in_files": sum(account.rows for account in files.values()),
            "with_items": sum(account.with_items for account in files.values()),
            "set_aside": dict(sorted(set_aside.items())),
            "left_out": dict(sorted(left_out.items())),
            "files_refused": dict(sorted(refused.items())),
            "parts_of_rows": {
                "rejected": dict(sorted((self.log.counts() - self.rejected - set_aside - refused).items())),
                "left_out": dict(sorted((self.log.left_out - left_out).items())),
            },
            "files": [{"path": _named(file, folder), **_file(account)} for file, account in files.items()],
        }


def _named(file: str, folder: Path | None) -> str:
    path = Path(file)
    if folder is not None and path.is_relative_to(folder) and path != folder:
        return path.relative_to(folder).as_posix()
    return path.name


def _file(account: FileRows) -> dict[str, Any]:
    return {
        "rows": account.rows,
        "with_items": account.with_items,
        "items": account.items,
        "set_aside": dict(sorted(account.set_aside.items())),
        "left_out": dict(sorted(account.left_out.items())),
        **({"refused": account.refused} if account.refused else {}),
    }
