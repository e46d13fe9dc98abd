"""Every item that a build reads, accounted for: what became of it, part by part."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from babelguard.rejects import RejectLog


@dataclass(slots=True)
class PartTally:
    """What became of one part's rows and items.

    The source's rows: `read` items came out of it, and its log holds what did not. Then for the items
    ``read + made == rejected + left out + written``.

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

    def unaccounted(self) -> int:
        """Return how many items are missing from the account; anything but 0 is a defect."""
        gone = self.rejected.total() + self.left_out.total() + self.written.total()
        return self.read + self.made - gone

    def to_dict(self) -> dict[str, Any]:
        """Return the account as plain JSON values."""
        by_source = self.log.counts() - self.rejected
        return {
            "rows": {
                "accounted": self.read + by_source.total() + self.log.left_out.total(),
                "items": self.read,
                "rejected": dict(sorted(by_source.items())),
                "left_out": dict(sorted(self.log.left_out.items())),
            },
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
