"""The append-only file of one rater's ratings: written as they come, read back to go on after a stop."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from babelguard.errors import UserError
from babelguard.jsonl import dump_line, parse_line, read_lines
from babelguard.rating import Rating


def rating_key(item_id: str, item_key: str, fingerprint: str) -> str:
    """Return what a stored rating is found by: a hash of the item's id, of what was shown, and of the rater."""
    return hashlib.sha256(f"{item_id}\0{item_key}\0{fingerprint}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class RatingsFile:
    """One JSON line a rating, each with its key."""

    path: Path

    def mend(self) -> None:
        """Cut off a last line that a stop in the middle of a write left without its end."""
        if not self.path.exists():
            return
        with self.path.open("rb+") as stream:
            end = stream.seek(0, 2)
            keep = _end_of_last_line(stream, end)
            if keep < end:
                stream.truncate(keep)

    def read(self) -> Iterator[tuple[str, Rating]]:
        """Yield (key, rating) in the order of writing.

        Raises:
            UserError: A line is not one that this class wrote.
        """
        if not self.path.exists():
            return
        for number, line in read_lines(self.path):
            try:
                record = parse_line(line)
                key = record["key"]
                if not isinstance(key, str):
                    raise TypeError("its key is not a text")
                rating = Rating.from_dict(record)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise UserError(
                    f"{self.path}, line {number}: this is not a stored rating ({error}); "
                    "delete the line, and the run rates its item again."
                ) from None
            yield key, rating

    def append(self, ratings: Iterable[tuple[str, Rating]]) -> None:
        """Append keyed ratings and hand them to the operating system before returning."""
        lines = b"".join(dump_line({"key": key, **rating.to_dict()}) for key, rating in ratings)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as stream:
            stream.write(lines)


def _end_of_last_line(stream: BinaryIO, end: int, step: int = 1 << 16) -> int:
    position = end
    while position > 0:
        start = max(0, position - step)
        stream.seek(start)
        found = stream.read(position - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        position = start
    return 0
