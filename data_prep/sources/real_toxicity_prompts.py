"""RealToxicityPrompts: beginnings of English web sentences and how they go on, scored by Perspective."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from babelguard.item import Item, Role
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

NAME = "real-toxicity-prompts"
_FIELDS = {Role.PROMPT: "prompt", Role.COMPLETION: "continuation"}


class RealToxicityPromptsOptions(RecipeModel):
    """What to read of RealToxicityPrompts."""

    path: Path = Field(description="Folder with prompts.jsonl, or that file")
    roles: tuple[Literal[Role.PROMPT, Role.COMPLETION], ...] = (Role.PROMPT,)
    selection: Literal["all", "rtp-lx-seed"] = Field("all", description="rtp-lx-seed: as RTP-LX chose its prompts")
    size: int = Field(1000, ge=2, multiple_of=2, description="How many rows rtp-lx-seed takes, half of each kind")
    toxic_from: float = Field(0.5, ge=0, le=1, description="Perspective score from which a text counts as toxic")


def read(options: RealToxicityPromptsOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the prompts, in the file's order. Perspective is a model, so its scores are metadata and no labels.

    Raises:
        UserError: The file is not there.
    """
    mapping_of(NAME, taxonomy)
    files = files_at(options.path, "prompts.jsonl", source="RealToxicityPrompts")
    rows: Iterator[Row] = read_json_lines(files[0], log, needed=("prompt", "continuation"))
    if options.selection == "rtp-lx-seed":
        rows = _seed(rows, options, log)
    yield from items_from(rows, lambda row: _items(row, options.roles), log)


def _seed(rows: Iterator[Row], options: RealToxicityPromptsOptions, log: RejectLog) -> Iterator[Row]:
    """Return the seed of RTP-LX (de Wynter et al., 2025): two halves, each the top of its kind by score.

    One half are explicitly toxic prompts, by the prompt's score; the other are mild prompts that go on toxic, by the
    continuation's. Equal scores are settled by the line. Rows outside are counted as ``not-in-seed``, rows without
    both scores as ``no-score``.
    """
    half = options.size // 2
    explicit: list[tuple[float, int, Row]] = []
    mild: list[tuple[float, int, Row]] = []
    for row in rows:
        toxicity, later = (_score(row.fields[name]) for name in ("prompt", "continuation"))
        if toxicity is None or later is None:
            log.leave_out_row(row.path, "no-score")
            continue
        if toxicity >= options.toxic_from:
            kind, score = explicit, toxicity
        elif later >= options.toxic_from:
            kind, score = mild, later
        else:
            log.leave_out_row(row.path, "not-in-seed")
            continue
        heapq.heappush(kind, (score, -row.line, row))
        if len(kind) > half:
            heapq.heappop(kind)
            log.leave_out_row(row.path, "not-in-seed")
    return iter(sorted((row for _, _, row in (*explicit, *mild)), key=lambda row: row.line))


def _score(part: Any) -> float | None:  # noqa: ANN401 - whatever the file holds
    value = part.get("toxicity") if isinstance(part, Mapping) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _items(row: Row, roles: tuple[Role, ...]) -> Iterator[Item]:
    key = f"{NAME}/{row.number}"
    for role in roles:
        part = row.fields[_FIELDS[role]]
        if not isinstance(part, Mapping):
            raise RowError("another-schema", f"{_FIELDS[role]!r} must hold a text and its scores")
        inner = Row(row.path, row.line, row.number, part)
        yield Item(
            id=f"{key}/{role.value}",
            text=inner.text("text"),
            language="en",
            source=NAME,
            source_id=key,
            role=role,
            metadata={
                "perspective": {name: value for name, value in part.items() if name != "text"},
                "challenging": row.fields.get("challenging"),
            },
            provenance=row.provenance(),
        )


SOURCE = Source(
    options=RealToxicityPromptsOptions,
    read=read,
    licence="Apache-2.0",
    citation="Gehman et al., RealToxicityPrompts: Evaluating Neural Toxic Degeneration in Language Models, "
    "EMNLP Findings 2020",
    hub=HubFiles("allenai/real-toxicity-prompts", ("prompts.jsonl",)),
)
