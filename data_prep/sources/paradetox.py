"""ParaDetox: toxic sentences and one to three neutral rewrites: pairs whose label should change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from babelguard.item import Item
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import github
from data_prep.mappings import mapping_of
from data_prep.reading.delimited import TSV, read_delimited
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.published import published
from data_prep.reading.row import Row
from data_prep.source import Source

NAME = "paradetox"
DETOXIFIED = "detoxified"
"""The register of the rewrites: a control, because unlike every register shift it should change the label."""
_REWRITES = ("neutral1", "neutral2", "neutral3")


class ParaDetoxOptions(RecipeModel):
    """What to read of ParaDetox."""

    path: Path = Field(description="Folder with paradetox.tsv, or that file")


def read(options: ParaDetoxOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the sentences, each followed by its rewrites; they share a source_id.

    Raises:
        UserError: The file is not there.
    """
    mapping = mapping_of(NAME, taxonomy)

    def build(row: Row) -> Iterator[Item]:
        key = f"{NAME}/{row.number}"
        toxic = f"{key}/toxic"
        base: dict[str, Any] = {"language": "en", "source": NAME, "source_id": key}
        metadata = {"label_scale": mapping.scale.value}
        yield Item(
            id=toxic,
            text=row.text("toxic"),
            **base,
            subset="toxic",
            **published(mapping.levels({"style": "toxic"}), "construction"),
            metadata=metadata,
            provenance=row.provenance(),
        )
        row.text(_REWRITES[0])
        for column in _REWRITES:
            if row.value(column):
                yield Item(
                    id=f"{key}/{column}",
                    text=row.text(column),
                    **base,
                    subset="neutral",
                    register=DETOXIFIED,
                    **published(mapping.levels({"style": "neutral"}), "construction"),
                    metadata=metadata,
                    provenance={**row.provenance(), "parent": toxic, "keeps_label": False},
                )

    files = files_at(options.path, "paradetox.tsv", "paradetox/paradetox.tsv", source="ParaDetox")
    rows = (row for path in files for row in read_delimited(path, log, needed=("toxic", *_REWRITES), dialect=TSV))
    yield from items_from(rows, build, log)


SOURCE = Source(
    options=ParaDetoxOptions,
    read=read,
    licence="CC0-1.0",
    citation="Logacheva et al., ParaDetox: Detoxification with Parallel Data, ACL 2022",
    downloads=github(
        "s-nlp/paradetox",
        "main",
        ("paradetox/paradetox.tsv", "6e5e80def7deaf4a3410f7de6c638c13f100ce5ece09ee84a47f6f14ab69a0cd"),
    ),
)
