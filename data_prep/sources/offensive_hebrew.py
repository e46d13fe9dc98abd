"""OffensiveHebrew: Hebrew tweets, offensive or not."""

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
from data_prep.reading.published import gold_text
from data_prep.reading.row import Row
from data_prep.source import Source

NAME = "offensive-hebrew"
_SPLITS = {"train": "train", "val": "calibration", "test": "test"}


class OffensiveHebrewOptions(RecipeModel):
    """What to read of OffensiveHebrew."""

    path: Path = Field(description="Folder with train.csv, val.csv and test.csv, or one of them")


def read(options: OffensiveHebrewOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the tweets.

    Raises:
        UserError: The files are not there.
    """
    mapping = mapping_of(NAME, taxonomy)

    def build(row: Row) -> Iterator[Item]:
        yield gold_text(row, "text", "he", _SPLITS.get(row.path.stem), {"label": row.value("label")}, mapping)

    files = files_at(options.path, "train.csv", "val.csv", "test.csv", source="OffensiveHebrew")
    rows = (row for path in files for row in read_delimited(path, log, needed=("text", "label")))
    yield from items_from(rows, build, log)


SOURCE = Source(
    options=OffensiveHebrewOptions,
    read=read,
    licence="CC-BY-NC-SA-4.0",
    citation="Hamad et al., Offensive Hebrew Corpus and Detection using BERT, AICCSA 2023",
    downloads=github(
        "SinaLab/OffensiveHebrew",
        "f1ef03a8a51af28a888daaaafbe56c283e1715b8",
        ("data/train.csv", "d8e4abab295de073d06f6b3c69643607f339ad997b37365316424ddbb76fa7dd"),
        ("data/val.csv", "05fd116c09b473399f472bd8938e823f4056377703a3c6f1b92fa337c133cf8e"),
        ("data/test.csv", None),
    ),
)
