"""WildJailbreak: direct and adversarial requests, harmful and benign, with safe completions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from babelguard.item import Item, Message, Role
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import HubFiles
from data_prep.mappings import mapping_of
from data_prep.reading.delimited import TSV, read_delimited
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.row import Row, RowError
from data_prep.source import Source

NAME = "wildjailbreak"
DATA_TYPES = ("vanilla_harmful", "vanilla_benign", "adversarial_harmful", "adversarial_benign")
_SPLITS = {"train": "train", "eval": "test"}


class WildJailbreakOptions(RecipeModel):
    """What to read of WildJailbreak."""

    path: Path = Field(description="Folder with train/train.tsv and eval/eval.tsv, or one of the files")
    data_types: tuple[
        Literal["vanilla_harmful", "vanilla_benign", "adversarial_harmful", "adversarial_benign"], ...
    ] = DATA_TYPES  # type: ignore[assignment]
    roles: tuple[Literal[Role.PROMPT, Role.RESPONSE], ...] = (Role.PROMPT,)


def read(options: WildJailbreakOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the requests. Adversarial variants share the source_id of the direct request that they hide.

    Rows of a data type that is not asked for are counted as ``not-asked-for``.

    Raises:
        UserError: The files are not there.
    """
    mapping_of(NAME, taxonomy)

    def build(row: Row) -> Iterator[Item]:
        data_type = row.value("data_type")
        if data_type not in DATA_TYPES:
            raise RowError("label-off-scale", f"the data type {data_type!r:.40} is none of {', '.join(DATA_TYPES)}")
        if data_type not in options.data_types:
            return
        yield from _items(row, data_type, options)

    files = files_at(options.path, "train.tsv", "eval.tsv", "*/train.tsv", "*/eval.tsv", source="WildJailbreak")
    rows = (
        row for path in files for row in read_delimited(path, log, needed=("adversarial", "data_type"), dialect=TSV)
    )
    yield from items_from(rows, build, log)


def _items(row: Row, data_type: str, options: WildJailbreakOptions) -> Iterator[Item]:
    part = row.path.stem
    key = f"{NAME}/{part}/{row.number}"
    form, request = data_type.split("_")
    text = row.text("adversarial" if form == "adversarial" else "vanilla")
    direct = row.value("vanilla")
    shared = f"{NAME}/{hashlib.sha256(direct.encode('utf-8')).hexdigest()[:16]}" if direct else key
    for role in options.roles:
        answer = row.value("completion")
        if role is Role.RESPONSE and not answer:
            continue  # the evaluation file has no completions
        response = role is Role.RESPONSE
        yield Item(
            id=f"{key}/{role.value}",
            text="" if response else text,
            language="en",
            source=NAME,
            source_id=shared,
            role=role,
            subset=data_type,
            split=_SPLITS.get(part),
            messages=(Message("user", text), Message("assistant", answer)) if response else (),
            metadata={"request": request, "data_type": data_type},
            provenance=row.provenance(),
        )


SOURCE = Source(
    options=WildJailbreakOptions,
    read=read,
    licence="ODC-BY-1.0; the publisher asks for agreement to its responsible use guidelines",
    citation="Jiang et al., WildTeaming at Scale: From In-the-Wild Jailbreaks to (Adversarially) Safer Language "
    "Models, NeurIPS 2024",
    hub=HubFiles("allenai/wildjailbreak", ("train/train.tsv", "eval/eval.tsv"), gated=True),
)
