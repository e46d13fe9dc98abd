"""Any CSV, TSV, JSON lines or Parquet file, through a mapping that the recipe gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.reading.delimited import Dialect, read_delimited
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.json_lines import read_json_lines
from data_prep.reading.parquet import read_parquet
from data_prep.reading.row import Row
from data_prep.reading.row_mapping import MappingRecipe, item_of
from data_prep.source import Source

_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}


class TableOptions(MappingRecipe):
    """Which files to read, and what their columns mean."""

    path: Path = Field(description="The file, or a folder of files")
    pattern: str = Field("*", description="Which files of the folder, as a glob")
    format: Literal["auto", "csv", "tsv", "jsonl", "parquet"] = Field("auto", description="auto: by the file's ending")
    encoding: str = Field("utf-8", description="Encoding of CSV and TSV files, as Python names it")
    delimiter: str | None = Field(None, min_length=1, max_length=1, description="If it is neither comma nor tab")
    quoted: bool = Field(True, description="Whether fields may stand in double quotes")
    header: tuple[str, ...] | None = Field(None, description="Names of the columns, for files without a header line")


def read(options: TableOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the rows of all files, in the order of their names.

    Raises:
        UserError: A file is not there or of no known format, or a category is not in the taxonomy.
    """
    for name in options.labels:
        taxonomy[name]
    files = files_at(options.path, options.pattern, source=options.dataset)
    rows = (row for path in files for row in _rows(path, options, log))
    yield from items_from(rows, lambda row: [item_of(row, options, taxonomy)], log)


def _rows(path: Path, options: TableOptions, log: RejectLog) -> Iterator[Row]:
    kind = options.format if options.format != "auto" else _format_of(path)
    if kind == "parquet":
        return read_parquet(path, log, needed=options.needed)
    if kind == "jsonl":
        return read_json_lines(path, log)
    dialect = Dialect(
        delimiter=options.delimiter or ("\t" if kind == "tsv" else ","),
        quoted=options.quoted,
        columns=options.header,
        encoding=options.encoding,
    )
    return read_delimited(path, log, needed=options.needed, dialect=dialect)


def _format_of(path: Path) -> str:
    ending = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    kind = _FORMATS.get(ending.casefold())
    if kind is None or (path.suffix == ".gz" and kind != "jsonl"):
        raise UserError(f"{path}: the ending does not tell the format; set 'format' to csv, tsv, jsonl or parquet.")
    return kind


SOURCE = Source(
    options=TableOptions,
    read=read,
    licence="Not known: the recipe says it",
    citation="As the file's publisher asks",
)
