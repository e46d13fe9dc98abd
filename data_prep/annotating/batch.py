"""A batch: which item stands behind which code on whose sheet. It stays with the coordinator."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.jsonl import parse_line, read_lines, write_jsonl
from data_prep.annotating.rubric import Task

FORMAT = "babelguard-sheets/1"
_LETTERS = str.maketrans("0123456789abcdef", "BCDFGHJKLMNPQRST")


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One row of a sheet.

    Attributes:
        code: What the person sees in the place of the id.
        items: Heading of a column -> id of the item whose text stands there.
    """

    code: str
    items: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class BatchSheet:
    """One person's sheet for one language, row by row in the order in which it was sent."""

    name: str
    language: str
    person: str
    rows: tuple[BatchRow, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """All sheets of a batch."""

    name: str
    task: Task
    taxonomy: str
    people: tuple[str, ...]
    languages: tuple[str, ...]
    dialects: tuple[str, ...]
    sheets: tuple[BatchSheet, ...]


def code_of(seed: int, sheet: str, key: str) -> str:
    """Return ten characters that tell nothing of what stands behind them, and differ from sheet to sheet.

    They are consonants alone: spreadsheets make numbers of ``0123456789`` and ``12345678E9`` in a CSV file.
    """
    digits = hashlib.blake2b(f"{seed}\0{sheet}\0{key}".encode(), digest_size=5).hexdigest()
    return digits.translate(_LETTERS)


def key_folder(folder: Path) -> Path:
    """Return where the coordinator's files of a batch are."""
    return folder / "key"


def write_batch(batch: Batch, items: Iterable[Item], folder: Path) -> None:
    """Write the coordinator's files."""
    key = key_folder(folder)
    write_jsonl(key / "items.jsonl", (item.to_dict() for item in items))
    partial = key / "batch.json.partial"
    text = json.dumps({"format": FORMAT, **asdict(batch)}, ensure_ascii=False, indent=1)
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(key / "batch.json")


def read_batch(folder: Path) -> tuple[Batch, dict[str, Item]]:
    """Read the coordinator's files back.

    Returns:
        The batch, and its items by id.

    Raises:
        UserError: The folder holds no batch.
    """
    path = key_folder(folder) / "batch.json"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; pass the folder that the export made.") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from None
    if not isinstance(record, dict) or record.pop("format", None) != FORMAT:
        raise UserError(f"{path} is not a batch of sheets ({FORMAT}); export the batch anew.")
    try:
        batch = _batch_from(record)
        items = {item.id: item for item in _items_of(path.with_name("items.jsonl"))}
        unknown = {item for sheet in batch.sheets for row in sheet.rows for item in row.items.values()} - set(items)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path.parent} is damaged ({error}); put it back as the export made it.") from None
    if unknown:
        raise UserError(
            f"{path.parent} is damaged: {len(unknown):,} items are gone; put it back as the export made it."
        )
    return batch, items


def _items_of(path: Path) -> Iterator[Item]:
    for _, line in read_lines(path):
        yield Item.from_dict(parse_line(line))


def _batch_from(record: dict[str, Any]) -> Batch:
    sheets = tuple(
        BatchSheet(s["name"], s["language"], s["person"], tuple(BatchRow(**row) for row in s["rows"]))
        for s in record["sheets"]
    )
    lists = {name: tuple(record[name]) for name in ("people", "languages", "dialects")}
    return Batch(name=record["name"], task=record["task"], taxonomy=record["taxonomy"], sheets=sheets, **lists)
