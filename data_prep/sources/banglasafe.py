"""BanglaSafe: harmful requests in Bengali and English, each in five conditions, which are read as registers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from babelguard.item import Item
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import HubFiles
from data_prep.mappings import mapping_of
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.json_lines import read_json_lines
from data_prep.reading.row import Row, RowError
from data_prep.source import Source

NAME = "banglasafe"
CONDITIONS = {
    "EN_Direct": ("en", "neutral"),
    "EN_Inst": ("en", "institutional"),
    "BN_Formal": ("bn", "formal"),
    "BN_Collq": ("bn", "colloquial"),
    "BN_Inst": ("bn", "institutional"),
}
"""Condition -> (language, register): the plain request in English is the neutral one, Bengali has none."""


class BanglaSafeOptions(RecipeModel):
    """What to read of BanglaSafe."""

    path: Path = Field(description="Folder with the hub's .jsonl files, or the file of the prompts")
    instance_column: str = Field("instance_id", description="Column that the conditions of one request share")


def read(options: BanglaSafeOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the prompts; the conditions of one request share a source_id.

    Where a row has no `instance_column`, its prompt_id without the condition's name stands for the request.

    Raises:
        UserError: The file is not there.
    """
    mapping_of(NAME, taxonomy)
    files = files_at(options.path, "*prompt*.jsonl", "*.jsonl", "data/*.jsonl", source="BanglaSafe")
    chosen = [path for path in files if "taxonomy" not in path.stem.casefold()]
    rows = (
        row for path in chosen for row in read_json_lines(path, log, needed=("prompt_id", "prompt_text", "condition"))
    )
    yield from items_from(rows, lambda row: [_item(row, options.instance_column)], log)


def _item(row: Row, instance_column: str) -> Item:
    condition = row.value("condition")
    if condition not in CONDITIONS:
        raise RowError("unknown-condition", f"the condition {condition!r:.40} is none of {', '.join(CONDITIONS)}")
    tag, register = CONDITIONS[condition]
    number = row.value("prompt_id")
    instance = row.value(instance_column) or _without(condition, number)
    kept = ("category", "source", "register_tier_target")
    return Item(
        id=f"{NAME}/{number}",
        text=row.text("prompt_text"),
        language=tag,
        source=NAME,
        source_id=f"{NAME}/{instance}",
        register=register,
        subset=row.value("category") or None,
        metadata={
            "request": "harmful",
            "condition": condition,
            **{name: row.fields[name] for name in kept if row.fields.get(name) is not None},
        },
        provenance=row.provenance(),
    )


def _without(condition: str, number: str) -> str:
    before, found, after = number.partition(condition)
    return f"{before.rstrip('_-')}{after}" if found else number


SOURCE = Source(
    options=BanglaSafeOptions,
    read=read,
    licence="CC-BY-4.0",
    citation="Islam et al., Register Shifts Break LLM Safety: A Bengali Benchmark with Culturally Grounded Harms, "
    "EMNLP Findings 2026",
    hub=HubFiles("BanglaLLM/BanglaSafe", ("*.jsonl", "data/*.jsonl")),
)
