"""Leak check: proves from the written shards alone that nothing which belongs together stands in two splits."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

COLUMNS = ("id", "source_id", "cluster", "text", "split")


class LeakError(Exception):
    """A corpus has the same content in two splits: a defect of the build, which stops it."""


def check_no_leak(folder: Path, shards: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Read every shard again and compare the splits.

    Args:
        folder: The corpus's folder.
        shards: Split -> paths of its shards, relative to the folder.

    Returns:
        How many source_ids, near-duplicate clusters and distinct texts were found, each in one split alone.

    Raises:
        LeakError: A source_id, a cluster or a text is in two splits, or a row names another split than its shard.
    """
    seen: dict[str, dict[bytes, str]] = {"source_id": {}, "cluster": {}, "text": {}}
    for split, paths in shards.items():
        for path in paths:
            for row in _rows(folder / path):
                if row["split"] != split:
                    raise LeakError(f"{path} holds the item {row['id']} of the split {row['split']}")
                for kind, found in seen.items():
                    if row[kind]:
                        _only_in(split, found, kind, row)
    return {"source_ids": len(seen["source_id"]), "clusters": len(seen["cluster"]), "texts": len(seen["text"])}


def _rows(path: Path) -> Iterable[dict[str, Any]]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(columns=list(COLUMNS)):
            yield from batch.to_pylist()


def _only_in(split: str, found: dict[bytes, str], kind: str, row: Mapping[str, Any]) -> None:
    key = hashlib.blake2b(row[kind].encode("utf-8"), digest_size=12).digest()
    other = found.setdefault(key, split)
    if other != split:
        raise LeakError(f"the {kind} of the item {row['id']} is in {other} and in {split}")
