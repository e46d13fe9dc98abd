"""BEEP!: comments on Korean entertainment news, with hate and bias."""

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
from data_prep.reading.delimited import TSV, read_delimited
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.published import gold_text
from data_prep.reading.row import Row
from data_prep.source import Source

NAME = "beep-korean"
_COLUMNS = ("comments", "contain_gender_bias", "bias", "hate")
_SPLITS = {"train": "train", "dev": "calibration"}


class BeepOptions(RecipeModel):
    """What to read of BEEP!."""

    path: Path = Field(description="Folder with train.tsv and dev.tsv (or with them in labeled/), or one of them")


def read(options: BeepOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the comments.

    Raises:
        UserError: The files are not there.
    """
    mapping = mapping_of(NAME, taxonomy)

    def build(row: Row) -> Iterator[Item]:
        labels = {name: row.value(name) for name in _COLUMNS[1:]}
        yield gold_text(row, "comments", "ko", _SPLITS.get(row.path.stem), labels, mapping)

    files = files_at(options.path, "train.tsv", "dev.tsv", "labeled/*.tsv", source="BEEP!")
    rows = (row for path in files for row in read_delimited(path, log, needed=_COLUMNS, dialect=TSV))
    yield from items_from(rows, build, log)


SOURCE = Source(
    options=BeepOptions,
    read=read,
    licence="CC-BY-SA-4.0",
    citation="Moon et al., BEEP! Korean Corpus of Online News Comments for Toxic Speech Detection, SocialNLP 2020",
    downloads=github(
        "kocohub/korean-hate-speech",
        "master",
        ("labeled/train.tsv", "ebebacdcd023af2c4acc8c0a37695fb6433ac04fc009feff8f222724e303a5a9"),
        ("labeled/dev.tsv", None),
    ),
)
