"""WildChat: conversations of people with ChatGPT, with moderation flags from models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from babelguard.item import Item, Message, Role
from babelguard.languages import language
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import HubFiles
from data_prep.mappings import mapping_of
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.json_lines import read_json_lines
from data_prep.reading.locale import tag_of
from data_prep.reading.parquet import read_parquet
from data_prep.reading.row import Row, RowError
from data_prep.source import Source

NAME = "wildchat"
_NEEDED = ("conversation_hash", "conversation", "language")
_KEPT = ("model", "turn", "toxic", "redacted")
"""Beside the conversation. Addresses, places and browsers of people are left where they are."""


class WildChatOptions(RecipeModel):
    """What to read of WildChat."""

    path: Path = Field(description="Folder with the hub's Parquet files (or with them in data/), or one of them")
    languages: tuple[str, ...] | None = Field(None, description="Any codes of the languages to read; all if not set")


def read(options: WildChatOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the conversations. Those in a language that is not asked for are counted as ``not-asked-for``.

    The moderation flags come from models, so they are metadata and no labels.

    Raises:
        UserError: The files are not there.
    """
    mapping_of(NAME, taxonomy)
    wanted = None if options.languages is None else {language(code).tag for code in options.languages}

    def build(row: Row) -> Iterator[Item]:
        item = _item(row)
        if wanted is None or item.language in wanted:
            yield item

    files = files_at(options.path, "*.parquet", "data/*.parquet", "*.jsonl", source="WildChat")
    rows = (row for path in files for row in _rows(path, log))
    yield from items_from(rows, build, log)


def _rows(path: Path, log: RejectLog) -> Iterator[Row]:
    if path.suffix == ".parquet":
        return read_parquet(path, log, needed=_NEEDED)
    return read_json_lines(path, log, needed=_NEEDED)


def _item(row: Row) -> Item:
    messages = _messages(row.fields["conversation"])
    key = f"{NAME}/{row.value('conversation_hash')}"
    answered = messages[-1].role == "assistant"
    return Item(
        id=f"{key}/{row.path.stem}-{row.number}",  # the same conversation can occur twice in WildChat
        text="",
        language=tag_of(row.value("language")),
        source=NAME,
        source_id=key,
        role=Role.RESPONSE if answered else Role.PROMPT,
        messages=messages,
        metadata={
            "language": row.value("language"),
            **{name: row.fields[name] for name in _KEPT if row.fields.get(name) is not None},
            "moderation_flagged": _flagged(row.fields.get("openai_moderation")),
        },
        provenance=row.provenance(),
    )


def _messages(turns: Any) -> tuple[Message, ...]:  # noqa: ANN401 - whatever the file holds
    if not isinstance(turns, list) or not turns:
        raise RowError("no-text", "'conversation' must be a list of turns")
    found = []
    for turn in turns:
        if not isinstance(turn, Mapping) or not all(isinstance(turn.get(key), str) for key in ("role", "content")):
            raise RowError("no-text", "every turn needs the strings 'role' and 'content'")
        found.append(Message(turn["role"], turn["content"]))
    if not any(message.content.strip() for message in found):
        raise RowError("no-text", "every turn of the conversation is blank")
    return tuple(found)


def _flagged(moderation: Any) -> list[bool | None] | None:  # noqa: ANN401 - whatever the file holds
    """Return, turn by turn, whether OpenAI's moderation flagged it."""
    if not isinstance(moderation, list):
        return None
    return [turn.get("flagged") if isinstance(turn, Mapping) else None for turn in moderation]


SOURCE = Source(
    options=WildChatOptions,
    read=read,
    licence="ODC-BY-1.0",
    citation="Zhao et al., WildChat: 1M ChatGPT Interaction Logs in the Wild, ICLR 2024",
    hub=HubFiles("allenai/WildChat-1M", ("data/*.parquet",)),
)
