"""DKHate: Danish comments, offensive or not (OffensEval 2020, sub-task A)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from babelguard.item import Item
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import HubFiles
from data_prep.mappings import mapping_of
from data_prep.reading.delimited import CSV, Dialect, read_delimited
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.parquet import read_parquet
from data_prep.reading.published import published
from data_prep.reading.row import Row, RowError
from data_prep.source import Source

NAME = "dkhate"
_TSV = Dialect(delimiter="\t", quoted=False)  # OffensEval writes quotes as they are


class DkHateOptions(RecipeModel):
    """What to read of DKHate."""

    path: Path = Field(
        description="Folder with the OffensEval .tsv files or the hub's .csv or .parquet files, or a file"
    )


def read(options: DkHateOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the comments. OffensEval's columns (id, tweet, subtask_a) and the hub's (text, label) are both read.

    Raises:
        UserError: The files are not there.
    """
    mapping = mapping_of(NAME, taxonomy)

    def build(row: Row) -> Iterator[Item]:
        text, label = ("tweet", "subtask_a") if "tweet" in row.fields else ("text", "label")
        if label not in row.fields:
            raise RowError("another-schema", "the row has neither 'tweet' and 'subtask_a' nor 'text' and 'label'")
        number = row.value("id") or f"{row.path.stem}-{row.number}"
        key = f"{NAME}/{number}"
        yield Item(
            id=key,
            text=row.text(text),
            language="da",
            source=NAME,
            source_id=key,
            split=_split_of(row.path),
            **published(mapping.levels({"subtask_a": row.value(label)}), "gold"),
            metadata={"label": row.value(label), "label_scale": mapping.scale.value},
            provenance=row.provenance(),
        )

    files = files_at(options.path, "*.tsv", "*.csv", "*.parquet", "data/*.parquet", source="DKHate")
    rows = (row for path in files for row in _rows(path, log))
    yield from items_from(rows, build, log)


def _rows(path: Path, log: RejectLog) -> Iterator[Row]:
    if path.suffix == ".parquet":
        return read_parquet(path, log)
    return read_delimited(path, log, dialect=_TSV if path.suffix == ".tsv" else CSV)


def _split_of(path: Path) -> str | None:
    return next((split for split in ("train", "test") if split in path.stem.casefold()), None)


SOURCE = Source(
    options=DkHateOptions,
    read=read,
    licence="CC-BY-4.0",
    citation="Sigurbergsson and Derczynski, Offensive Language and Hate Speech Detection for Danish, LREC 2020",
    hub=HubFiles("DDSC/dkhate", ("*.csv", "*.tsv", "*.parquet", "data/*.parquet"), gated=True),
)
