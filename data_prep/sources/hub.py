"""Any data set of the Hugging Face hub, or a local folder in the hub's layout, through a mapping in the recipe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.reading.delimited import header_problem
from data_prep.reading.items import items_from
from data_prep.reading.row import Row
from data_prep.reading.row_mapping import MappingRecipe, item_of
from data_prep.source import Source


class HubOptions(MappingRecipe):
    """Which data set to read, and what its columns mean."""

    repository: str = Field(description="owner/name on the hub, or a local folder")
    config: str | None = Field(None, description="The data set's configuration, where it has several")
    parts: tuple[str, ...] | None = Field(None, description="Its splits to read (train, test, ...); all if not set")
    revision: str | None = Field(None, description="Branch, tag or commit; pin a commit to be reproducible")


def read(options: HubOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the rows, split by split; nothing is executed that a data set brings.

    Raises:
        UserError: The data set cannot be loaded, or a category is not in the taxonomy.
    """
    for name in options.labels:
        taxonomy[name]
    loaded = _load(options)
    parts = _chosen(options, list(loaded))
    rows = (row for part in parts for row in _rows(options, part, loaded[part], log))
    yield from items_from(rows, lambda row: [item_of(row, options, taxonomy)], log)


def _load(options: HubOptions) -> Any:  # noqa: ANN401 - datasets has no types
    try:
        import datasets
    except ImportError:
        raise UserError("The source 'hub' needs the package datasets: pip install 'babelguard[data]'.") from None
    try:
        return datasets.load_dataset(options.repository, options.config, revision=options.revision, streaming=True)
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        told = " ".join(str(error).split())
        raise UserError(
            f"{options.repository} cannot be loaded ({told:.200}). Check the name and the network; for a gated "
            "data set agree to its terms on the hub and set HF_TOKEN."
        ) from error


def _chosen(options: HubOptions, present: list[str]) -> list[str]:
    for part in options.parts or ():
        if part not in present:
            raise UserError(f"{options.repository} has no split {part!r}; it has {', '.join(present)}.")
    return list(options.parts or present)


def _rows(options: HubOptions, part: str, records: Any, log: RejectLog) -> Iterator[Row]:  # noqa: ANN401
    place = Path(options.repository) / part
    for number, fields in enumerate(records, start=1):
        problem = header_problem(list(fields), options.needed) if number == 1 else ""
        if problem:
            log.reject_file(place, 1, "another-schema", problem)
            return
        log.found_row(place)
        yield Row(place, number, number, fields)


SOURCE = Source(
    options=HubOptions,
    read=read,
    licence="Not known: the recipe says it",
    citation="As the data set's publisher asks",
)
