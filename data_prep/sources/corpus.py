"""A corpus that `python -m data_prep.build` made: its shards, read back as the items that were written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from babelguard.checksums import sha256_of
from babelguard.corpus_rows import items_of
from babelguard.errors import UserError, unknown_name
from babelguard.item import Item, Role
from babelguard.languages import language
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.source import Source

FORMAT = "babelguard-corpus/1"
ROWS_AT_ONCE = 5_000


class CorpusOptions(RecipeModel):
    """What to read of a corpus. Splits are chosen where a source is named, with `splits`."""

    path: Path = Field(description="Folder of the corpus: the one with manifest.json")
    languages: tuple[str, ...] | None = Field(None, description="Any codes of the languages to read; all if not set")
    registers: tuple[str, ...] | None = Field(None, description="Registers to read; all if not set")
    registers_left_out: tuple[str, ...] = Field(
        (), description="Registers not to read, such as neutral for twins alone"
    )
    parts: tuple[str, ...] | None = Field(None, description="Parts to read, as the manifest names them; all if not set")
    roles: tuple[Role, ...] | None = Field(None, description="Roles to read, such as prompt; all if not set")
    verify: bool = Field(True, description="Compare every shard's SHA-256 with the manifest's before reading")


def read(options: CorpusOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the items, split by split.

    Raises:
        UserError: The folder holds no corpus, a shard is missing or changed, the taxonomy is another one, or the
            corpus lacks a language, register or part that is asked for.
    """
    manifest = read_manifest(options.path)
    if manifest["taxonomy"]["name"] != taxonomy.name:
        raise UserError(f"{options.path} is labelled with {manifest['taxonomy']['name']}, not with {taxonomy.name}.")
    wanted = _wanted(options, manifest)
    shards = [shard for split in manifest["splits"].values() for shard in split["shards"]]
    for shard in shards:
        _check_shard(options, shard)
    for shard in shards:
        path = options.path / shard["path"]
        for item in _items(path):
            log.found_row(path)
            if all(allowed is None or value in allowed for value, allowed in zip(_facts(item), wanted, strict=True)):
                log.row_gave(path, 1)
                yield item
            else:
                log.not_asked_for(path)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a corpus.

    Raises:
        UserError: There is none, or it is not one of a corpus of this format.
    """
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(
            f"{folder} holds no manifest.json; pass the folder that `python -m data_prep.build` made."
        ) from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise UserError(f"{path} is not the manifest of a corpus ({FORMAT}); build the corpus anew.")
    return manifest


def _wanted(options: CorpusOptions, manifest: dict[str, Any]) -> tuple[frozenset[str] | None, ...]:
    chosen = options.languages
    languages = None if chosen is None else [language(code).tag for code in chosen]
    registers = frozenset(name for row in manifest["coverage"].values() for name in row)
    left_out = _known("register of this corpus", options.registers_left_out, registers) or frozenset()
    read = _known("register of this corpus", options.registers, registers)
    return (
        _known("language of this corpus", languages, manifest["coverage"]),
        (registers if read is None else read) - left_out if left_out else read,
        None if options.roles is None else frozenset(role.value for role in options.roles),
        _known("part of this corpus", options.parts, [part["name"] for part in manifest["parts"]]),
    )


def _known(kind: str, asked: Any, known: Any) -> frozenset[str] | None:  # noqa: ANN401 - collections of names
    if asked is None:
        return None
    for name in asked:
        if name not in known:
            raise unknown_name(kind, name, known)
    return frozenset(asked)


def _facts(item: Item) -> tuple[str, str, str, str]:
    return item.language, item.register, item.role.value, item.metadata["part"]


def _check_shard(options: CorpusOptions, shard: dict[str, Any]) -> None:
    path = options.path / shard["path"]
    if not path.is_file():
        raise UserError(f"{path} is missing; build or copy the corpus anew.")
    if options.verify and sha256_of(path) != shard["sha256"]:
        raise UserError(f"{path} differs from what the manifest says (SHA-256); build or copy the corpus anew.")


def _items(path: Path) -> Iterator[Item]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE):
            yield from items_of(batch)


def part_licences(options: CorpusOptions) -> dict[str, str]:
    """Return the licence of every part of a corpus that is read."""
    parts = read_manifest(options.path)["parts"]
    return {p["name"]: p["licence"] for p in parts if options.parts is None or p["name"] in options.parts}


SOURCE = Source(
    options=CorpusOptions,
    read=read,
    part_licences=part_licences,
    licence="as the corpus's manifest says for each part",
    citation="as the corpus's manifest says for each part",
)
