"""StrongREJECT: forbidden prompts with their category and where they come from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from babelguard.item import Item
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import github
from data_prep.mappings import mapping_of
from data_prep.reading.delimited import read_delimited
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.published import published
from data_prep.reading.row import Row, RowError
from data_prep.source import Source

NAME = "strongreject"
_TEXTS = ("forbidden_prompt", "meli_query")


class StrongRejectOptions(RecipeModel):
    """What to read of StrongREJECT."""

    path: Path = Field(description="Folder with strongreject_dataset.csv (or the small one), or the file")


def read(options: StrongRejectOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the prompts; the text may stand in `forbidden_prompt` or in `meli_query`.

    Raises:
        UserError: The file is not there.
    """
    mapping = mapping_of(NAME, taxonomy)

    def build(row: Row) -> Iterator[Item]:
        column = next((name for name in _TEXTS if name in row.fields), None)
        if column is None:
            raise RowError("another-schema", f"the row has none of the columns {', '.join(_TEXTS)}")
        category = row.value("category")
        key = f"{NAME}/{row.number}"
        yield Item(
            id=key,
            text=row.text(column),
            language="en",
            source=NAME,
            source_id=key,
            subset=category,
            **published(mapping.levels({"category": category}), "topic"),
            metadata={
                "request": "harmful",
                "category": category,
                "from": row.value("source"),
                "label_scale": mapping.scale.value,
            },
            provenance=row.provenance(),
        )

    files = files_at(options.path, "strongreject_dataset.csv", "strongreject_small_dataset.csv", source="StrongREJECT")
    rows = (row for row in read_delimited(files[0], log, needed=("category", "source")))
    yield from items_from(rows, build, log)


SOURCE = Source(
    options=StrongRejectOptions,
    read=read,
    licence="MIT",
    citation="Souly et al., A StrongREJECT for Empty Jailbreaks, NeurIPS 2024",
    downloads=github(
        "alexandrasouly/strongreject",
        "main",
        ("strongreject_dataset/strongreject_dataset.csv", None),
        ("LICENSE", None),
    ),
)
