"""Write: shards of a bounded size, one Parquet file after the other, split by split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from babelguard.checksums import sha256_of
from babelguard.corpus_rows import SPLITS
from babelguard.jsonl import dump_line
from data_prep.building.collect import Collected, left_out_record
from data_prep.building.split import DROPPED, PRECEDENCE, Assignment

if TYPE_CHECKING:
    import pyarrow as pa

DATA = "data"
ROWS_PER_GROUP = 10_000


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a corpus."""

    path: str
    items: int
    size: int
    sha256: str

    def to_dict(self) -> dict[str, Any]:
        """Return the shard as plain JSON values; the size is in bytes."""
        return {"path": self.path, "items": self.items, "bytes": self.size, "sha256": self.sha256}


@dataclass(slots=True)
class _SplitWriter:
    """The shards of one split; they are named when their number is known."""

    folder: Path
    split: str
    limit: int
    counts: list[int] = field(default_factory=list)
    waiting: list[Any] = field(default_factory=list)
    size: int = 0
    writer: Any = None

    def add(self, rows: pa.RecordBatch) -> None:
        """Write rows; begin another shard where the one in work is full."""
        import pyarrow.parquet as pq

        if self.writer is None:
            path = self.folder / f"{self.split}-{len(self.counts):05d}.parquet"
            self.writer = pq.ParquetWriter(path, rows.schema, compression="zstd")
            self.counts.append(0)
            self.size = 0
        self.waiting.append(rows)
        self.counts[-1] += rows.num_rows
        self.size += rows.nbytes
        if sum(batch.num_rows for batch in self.waiting) >= ROWS_PER_GROUP:
            self._flush()
        if self.size >= self.limit:
            self.close()

    def close(self) -> None:
        """End the shard in work."""
        if self.writer is not None:
            self._flush()
            self.writer.close()
            self.writer = None

    def _flush(self) -> None:
        import pyarrow as pa

        if self.waiting:
            self.writer.write_table(pa.Table.from_batches(self.waiting).combine_chunks())
            self.waiting = []

    def finished(self) -> list[Shard]:
        """Name the shards for their place among all, and return them."""
        self.close()
        shards = []
        for number, items in enumerate(self.counts):
            name = f"{self.split}-{number:05d}-of-{len(self.counts):05d}.parquet"
            path = (self.folder / f"{self.split}-{number:05d}.parquet").rename(self.folder / name)
            shards.append(Shard(f"{DATA}/{name}", items, path.stat().st_size, sha256_of(path)))
        return shards


def write_shards(
    collected: Collected,
    assignment: Assignment,
    clusters: NDArray[np.int64],
    folder: Path,
    shard_bytes: int,
    left_out: BinaryIO,
) -> dict[str, list[Shard]]:
    """Write the spooled items into the shards of their splits, in reading order.

    Args:
        collected: What reading left.
        assignment: The split of every item.
        clusters: The near-duplicate cluster of every item.
        folder: The corpus's folder.
        shard_bytes: Size of a shard in memory, from which on another begins.
        left_out: Gets a JSON line for every item that is dropped.

    Returns:
        Split -> its shards, for the splits that have items, in the order of `SPLITS`.
    """
    import pyarrow as pa

    (folder / DATA).mkdir()
    writers = {split: _SplitWriter(folder / DATA, split, shard_bytes) for split in SPLITS}
    names = _cluster_names(collected, clusters, assignment.splits)
    parts = np.frombuffer(collected.numbers.parts, dtype=np.int32) if len(collected.numbers) else np.zeros(0, np.int32)
    start = 0
    with pa.memory_map(str(collected.spool)) as source, pa.ipc.open_stream(source) as batches:
        for batch in batches:
            span = slice(start, start + batch.num_rows)
            start = span.stop
            rows = _with_cluster(batch, [names.get(int(cluster)) for cluster in clusters[span]])
            splits = assignment.splits[span]
            for place, split in enumerate(PRECEDENCE):
                chosen = np.flatnonzero(splits == place)
                if len(chosen):
                    writers[split].add(_with_split(rows.take(pa.array(chosen)), split))
                    _count(collected, parts[span][chosen], split)
            _log_dropped(rows, assignment.reasons[span], parts[span], collected, left_out)
    return {split: shards for split, writer in writers.items() if (shards := writer.finished())}


def _cluster_names(collected: Collected, clusters: NDArray[np.int64], splits: NDArray[np.int64]) -> dict[int, str]:
    """Return the id of the first item that stays of every cluster that has several, of the first where none stays."""
    import pyarrow as pa

    several = np.flatnonzero(np.bincount(clusters, minlength=len(clusters))[clusters] > 1)
    order = several[np.lexsort((several, splits[several] == DROPPED, clusters[several]))]
    speakers = order[np.append(True, clusters[order][1:] != clusters[order][:-1])] if len(order) else order
    ids: dict[int, str] = {}
    wanted = np.sort(speakers)
    start = 0
    with pa.memory_map(str(collected.spool)) as source, pa.ipc.open_stream(source) as batches:
        for batch in batches:
            here = wanted[(wanted >= start) & (wanted < start + batch.num_rows)]
            found = batch.column("id").take(pa.array(here - start)).to_pylist()
            ids.update(zip(here.tolist(), found, strict=True))
            start += batch.num_rows
    return {int(clusters[speaker]): name for speaker, name in ids.items()}


def _with_cluster(rows: pa.RecordBatch, names: Sequence[str | None]) -> pa.RecordBatch:
    import pyarrow as pa

    return rows.set_column(rows.schema.get_field_index("cluster"), "cluster", pa.array(names, pa.string()))


def _with_split(rows: pa.RecordBatch, split: str) -> pa.RecordBatch:
    import pyarrow as pa

    column = pa.array([split] * rows.num_rows, pa.string())
    return rows.set_column(rows.schema.get_field_index("split"), "split", column)


def _count(collected: Collected, parts: NDArray[np.int32], split: str) -> None:
    for part, count in Counter(parts.tolist()).items():
        collected.tallies[part].written[split] += count


def _log_dropped(
    rows: pa.RecordBatch,
    reasons: NDArray[np.object_],
    parts: NDArray[np.int32],
    collected: Collected,
    left_out: BinaryIO,
) -> None:
    for at in np.flatnonzero(reasons != ""):
        tally = collected.tallies[parts[at]]
        tally.left_out[reasons[at]] += 1
        duplicate = "duplicate" in reasons[at]
        cluster = rows.column("cluster")[int(at)].as_py() if duplicate else None
        left_out.write(dump_line(left_out_record(rows.column("id")[int(at)].as_py(), tally.name, reasons[at], cluster)))
