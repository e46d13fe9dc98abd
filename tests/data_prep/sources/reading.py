"""How the tests of sources read, and count what they read."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from babelguard import RTP_LX, Item
from babelguard.rejects import RejectLog
from data_prep.source import SOURCES


def items_of(name: str, path: Path | None = None, log: RejectLog | None = None, **options: Any) -> list[Item]:
    source = SOURCES.get(name)
    given = options if path is None else {"path": path, **options}
    return list(source.read(source.options.model_validate(given), RTP_LX, log or RejectLog(strict=True)))


def rows_read(items: Iterable[Item]) -> int:
    """Return of how many rows the items were made."""
    return len({(item.provenance["file"], item.provenance["line"]) for item in items})


def rows_of_csv(path: Path, delimiter: str = ",", header: bool = True) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = [row for row in csv.reader(stream, delimiter=delimiter) if row]
    return rows[1:] if header else rows


def write_csv(path: Path, header: list[str], *rows: list[Any], delimiter: str = ",") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows([header, *rows])
    return path


def check_items(items: list[Item]) -> None:
    """What holds for the items of every source."""
    assert len({item.id for item in items}) == len(items)
    for item in items:
        assert item.text.strip() or item.messages
        assert Item.from_dict(item.to_dict()) == item
        for category, levels in item.labels.items():
            assert all(level is None or RTP_LX[category].has_level(level) for level in levels)
        assert all(RTP_LX[category].has_level(label.level) for category, label in item.aggregated.items())
