"""JBB-Behaviors (JailbreakBench): 100 harmful behaviours and 100 benign ones on the same themes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from babelguard.item import Item
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import HubFiles
from data_prep.mappings import mapping_of
from data_prep.reading.delimited import read_delimited
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.published import published
from data_prep.reading.row import Row
from data_prep.source import Source
from data_prep.source_mapping import SourceMapping

NAME = "jbb-behaviors"
_ENDING = "-behaviors.csv"
_NEEDED = ("Index", "Goal", "Target", "Behavior", "Category")


class JbbBehaviorsOptions(RecipeModel):
    """What to read of JBB-Behaviors."""

    path: Path = Field(description="Folder with harmful-behaviors.csv and benign-behaviors.csv (or with them in data/)")
    requests: tuple[Literal["harmful", "benign"], ...] = ("harmful", "benign")


def read(options: JbbBehaviorsOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the behaviours.

    Raises:
        UserError: The files are not there.
    """
    mapping = mapping_of(NAME, taxonomy)
    names = [f"{request}{_ENDING}" for request in options.requests]
    files = files_at(options.path, *names, *(f"data/{name}" for name in names), source="JBB-Behaviors")
    rows = (row for path in files for row in read_delimited(path, log, needed=_NEEDED))
    yield from items_from(rows, lambda row: [_item(row, mapping)], log)


def _item(row: Row, mapping: SourceMapping) -> Item:
    request = "benign" if row.path.name.startswith("benign") else "harmful"
    category = row.value("Category")
    key = f"{NAME}/{request}/{row.value('Index')}"
    return Item(
        id=key,
        text=row.text("Goal"),
        language="en",
        source=NAME,
        source_id=key,
        subset=request,
        **published(mapping.levels({f"{request} category": category}), "topic"),
        metadata={
            "request": request,
            "category": category,
            "behavior": row.value("Behavior"),
            "target": row.value("Target"),
            "from": row.value("Source"),
            "label_scale": mapping.scale.value,
        },
        provenance=row.provenance(),
    )


SOURCE = Source(
    options=JbbBehaviorsOptions,
    read=read,
    licence="MIT",
    citation="Chao et al., JailbreakBench: An Open Robustness Benchmark for Jailbreaking Large Language Models, "
    "NeurIPS 2024",
    hub=HubFiles("JailbreakBench/JBB-Behaviors", ("data/harmful-behaviors.csv", "data/benign-behaviors.csv")),
)
