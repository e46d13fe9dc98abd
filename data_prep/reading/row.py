"""One row of a file, and what makes a row unusable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class RowError(ValueError):
    """A row cannot become an item.

    Attributes:
        kind: A short name, the same for all rows with the same cause.
    """

    def __init__(self, kind: str, reason: str) -> None:
        """Take the short name and the cause as a clause."""
        super().__init__(reason)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a file.

    Attributes:
        path: The file.
        line: The line on which the record begins, from 1; in Parquet the row, from 1.
        number: The record's number among the file's records, from 1, unreadable ones counted.
        fields: Column -> value; strings from CSV and TSV files.
    """

    path: Path
    line: int
    number: int
    fields: Mapping[str, Any]

    def text(self, column: str) -> str:
        """Return a text that must not be blank.

        Raises:
            RowError: It is missing, not a string, or blank.
        """
        value = self.fields.get(column)
        if not isinstance(value, str) or not value.strip():
            raise RowError("no-text", f"{column!r} must hold a text, found {_shown(value)}")
        return value

    def value(self, column: str) -> str:
        """Return a value as a stripped string, empty where there is none.

        Raises:
            RowError: It is neither a string nor a number, a truth value or nothing.
        """
        value = self.fields.get(column)
        if value is None:
            return ""
        if isinstance(value, str):
            return value.strip()
        if isinstance(value, bool | int | float):
            return str(value)
        raise RowError("no-value", f"{column!r} must hold one value, found a {type(value).__name__}")

    def provenance(self) -> dict[str, Any]:
        """Return where the row stands, for the provenance of what is made from it."""
        return {"file": self.path.name, "line": self.line}


def _shown(value: object) -> str:
    """Describe a value without showing a text."""
    if value is None:
        return "nothing"
    return "a blank" if isinstance(value, str) else f"a {type(value).__name__}"
