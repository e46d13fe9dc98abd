"""ToLD-Br: Brazilian Portuguese tweets; how many of three annotators saw each of six kinds of toxicity."""

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

NAME = "told-br"
KINDS = ("homophobia", "obscene", "insult", "racism", "misogyny", "xenophobia")


class ToldBrOptions(RecipeModel):
    """What to read of ToLD-Br."""

    path: Path = Field(description="Folder with ToLD-BR.csv, or that file")


def read(options: ToldBrOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the tweets. The counts do not tell who saw what, so the level is the vote and the counts are metadata.

    Raises:
        UserError: The file is not there.
    """
    mapping = mapping_of(NAME, taxonomy)

    def build(row: Row) -> Iterator[Item]:
        votes = {kind: _count(row, kind) for kind in KINDS}
        key = f"{NAME}/{row.number}"
        yield Item(
            id=key,
            text=row.text("text"),
            language="pt",
            source=NAME,
            source_id=key,
            dialect="pt-BR",
            **published(mapping.voted(votes), "vote"),
            metadata={"votes": votes, "annotators": mapping.annotators, "label_scale": mapping.scale.value},
            provenance=row.provenance(),
        )

    files = files_at(options.path, "ToLD-BR.csv", source="ToLD-Br")
    rows = (row for path in files for row in read_delimited(path, log, needed=("text", *KINDS)))
    yield from items_from(rows, build, log)


def _count(row: Row, kind: str) -> int:
    value = row.value(kind)
    try:
        count = float(value)
    except ValueError:
        raise RowError("label-off-scale", f"{kind} must be a count of annotators, found {value!r:.40}") from None
    if not count.is_integer():
        raise RowError("label-off-scale", f"{kind} must be a whole count of annotators, found {value!r:.40}")
    return int(count)


SOURCE = Source(
    options=ToldBrOptions,
    read=read,
    licence="CC-BY-SA-4.0",
    citation="Leite et al., Toxic Language Detection in Social Media for Brazilian Portuguese, AACL-IJCNLP 2020",
    downloads=github(
        "JAugusto97/ToLD-Br",
        "6fa8d3c527db9b81fe8a9d318f305b5c1fc68c8e",
        ("ToLD-BR.csv", "ac6e66654fb52223e995260f4f9bd851a71311655597e68376a065ed0d8af273"),
    ),
)
