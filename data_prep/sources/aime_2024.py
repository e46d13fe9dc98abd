"""AIME 2024: thirty problems of the American Invitational Mathematics Examination."""

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
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.json_lines import read_json_lines
from data_prep.reading.parquet import read_parquet
from data_prep.reading.row import Row, RowError
from data_prep.source import Source

NAME = "aime-2024"


class Aime2024Options(RecipeModel):
    """What to read of AIME 2024."""

    path: Path = Field(description="Folder with the hub's .parquet or .jsonl files, or one of them")


def read(options: Aime2024Options, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the problems. Copies on the hub write the columns with and without capitals; both are read.

    Raises:
        UserError: The files are not there.
    """
    mapping_of(NAME, taxonomy)
    files = files_at(options.path, "*.parquet", "data/*.parquet", "*.jsonl", source="AIME 2024")
    rows = (row for path in files for row in _rows(path, log))
    yield from items_from(rows, lambda row: [_item(row)], log)


def _rows(path: Path, log: RejectLog) -> Iterator[Row]:
    return read_parquet(path, log) if path.suffix == ".parquet" else read_json_lines(path, log)


def _item(row: Row) -> Item:
    fields = {name.casefold(): value for name, value in row.fields.items()}
    row = Row(row.path, row.line, row.number, fields)
    if not {"problem", "answer"} <= set(fields):
        raise RowError("another-schema", "the row needs 'problem' and 'answer'")
    key = f"{NAME}/{row.value('id') or row.number}"
    return Item(
        id=key,
        text=row.text("problem"),
        language="en",
        source=NAME,
        source_id=key,
        metadata={
            "request": "benign",
            "answer": row.value("answer"),
            **{name: row.value(name) for name in ("solution", "url", "year") if fields.get(name)},
        },
        provenance=row.provenance(),
    )


SOURCE = Source(
    options=Aime2024Options,
    read=read,
    licence="No licence stated: problems by the Mathematical Association of America; treat as research use",
    citation="Mathematical Association of America, American Invitational Mathematics Examination 2024",
    hub=HubFiles("HuggingFaceH4/aime_2024", ("data/*.parquet",)),
)
