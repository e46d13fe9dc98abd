"""OpenAI's moderation samples: English prompts with eight binary labels, some of them missing."""

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
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.json_lines import read_json_lines
from data_prep.reading.published import published
from data_prep.reading.row import Row, RowError
from data_prep.source import Source

NAME = "openai-moderation"
LABELS = ("S", "H", "V", "HR", "SH", "S3", "H2", "V2")


class OpenAiModerationOptions(RecipeModel):
    """What to read of the moderation samples."""

    path: Path = Field(description="Folder with samples*.jsonl or samples*.jsonl.gz, or one of them")


def read(options: OpenAiModerationOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the prompts. A label that a line lacks is unknown, as the publisher says, and stays so.

    Raises:
        UserError: The file is not there.
    """
    mapping = mapping_of(NAME, taxonomy)

    def build(row: Row) -> Iterator[Item]:
        flags = {name: row.value(name) for name in LABELS if row.fields.get(name) is not None}
        unknown = sorted(set(row.fields) - {"prompt", *LABELS})
        if unknown:
            raise RowError("unknown-label", f"{unknown[0]!r:.40} is none of {', '.join(LABELS)}")
        key = f"{NAME}/{row.line}"
        yield Item(
            id=key,
            text=row.text("prompt"),
            language="en",
            source=NAME,
            source_id=key,
            **published(mapping.levels(flags), "gold"),
            metadata={"flags": flags, "label_scale": mapping.scale.value},
            provenance=row.provenance(),
        )

    files = files_at(options.path, "samples*.jsonl", "samples*.jsonl.gz", "data/samples*.jsonl.gz", source=NAME)
    rows = (row for row in read_json_lines(files[0], log, needed=("prompt",)))
    yield from items_from(rows, build, log)


SOURCE = Source(
    options=OpenAiModerationOptions,
    read=read,
    licence="MIT",
    citation="Markov et al., A Holistic Approach to Undesired Content Detection in the Real World, AAAI 2023",
    downloads=github(
        "openai/moderation-api-release",
        "d3938df6ce8b06c2907f92c6084d8192da61b9aa",
        ("data/samples-1680.jsonl.gz", None),
        ("LICENSE", None),
    ),
)
