"""MultiJail: harmful prompts, translated by hand and aligned in up to ten languages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from babelguard.item import Item
from babelguard.languages import language
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import Download
from data_prep.mappings import mapping_of
from data_prep.reading.delimited import read_delimited
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.published import published
from data_prep.reading.row import Row, RowError
from data_prep.source import Source
from data_prep.source_mapping import SourceMapping

NAME = "multijail"
_LANGUAGES = ("en", "zh", "it", "vi", "ar", "ko", "th", "bn", "sw", "jv")
_BASE = "https://raw.githubusercontent.com/DAMO-NLP-SG/multilingual-safety-for-LLMs/main"


class MultiJailOptions(RecipeModel):
    """What to read of MultiJail."""

    path: Path = Field(description="Folder with MultiJail.csv, or that file")
    languages: tuple[str, ...] | None = Field(None, description="Any codes of the languages to read; all if not set")


def read(options: MultiJailOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the prompts, row by row; the languages of a row share a source_id.

    Raises:
        UserError: The file is not there.
    """
    mapping = mapping_of(NAME, taxonomy)
    wanted = None if options.languages is None else {language(code).tag for code in options.languages}
    columns = {column: language(column).tag for column in _LANGUAGES}
    chosen = {column: tag for column, tag in columns.items() if wanted is None or tag in wanted}
    files = files_at(options.path, "MultiJail.csv", source="MultiJail")
    rows = (row for row in read_delimited(files[0], log, needed=("id", "source", "tags", "en")))
    yield from items_from(rows, lambda row: _items(row, chosen, mapping), log)


def _items(row: Row, columns: dict[str, str], mapping: SourceMapping) -> Iterator[Item]:
    tags = _tags(row)
    levels: dict[str, int] = {}
    for tag in tags:
        levels |= mapping.levels({"tag": tag})
    key = f"{NAME}/{row.value('id')}"
    for column, tag_of_language in columns.items():
        if column not in row.fields:
            continue
        yield Item(
            id=f"{key}/{tag_of_language}",
            text=row.text(column),
            language=tag_of_language,
            source=NAME,
            source_id=key,
            **published(levels, "topic"),
            metadata={
                "request": "harmful",
                "tags": tags,
                "from": row.value("source"),
                "label_scale": mapping.scale.value,
            },
            provenance=row.provenance(),
        )


def _tags(row: Row) -> list[str]:
    value = row.value("tags")
    try:
        tags = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        tags = None
    if not isinstance(tags, list) or not tags or not all(isinstance(tag, str) for tag in tags):
        raise RowError("bad-tags", f"'tags' must be a list of strings, found {value!r:.60}")
    return tags


SOURCE = Source(
    options=MultiJailOptions,
    read=read,
    licence="MIT",
    citation="Deng et al., Multilingual Jailbreak Challenges in Large Language Models, ICLR 2024",
    downloads=(
        Download(
            f"{_BASE}/data/MultiJail.csv",
            "MultiJail.csv",
            "876f574cab622e82cd40a028545744af1be91455ce9862fe0b9c54b45ab87527",
        ),
    ),
)
