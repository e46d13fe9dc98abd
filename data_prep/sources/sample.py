"""The bundled sample: meanings written for this project, in twelve languages and a few registers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.jsonl import parse_line, read_lines
from babelguard.languages import language
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.source import Source

BUNDLED = Path(__file__).parents[1] / "sample"


class SampleOptions(RecipeModel):
    """What to read of the sample."""

    path: Path = Field(BUNDLED, description="Folder with meanings.jsonl and texts/<language>.jsonl")
    languages: tuple[str, ...] | None = Field(None, description="Any codes of the languages to read; all if not set")
    registers: tuple[str, ...] | None = Field(None, description="Registers to read; all if not set")


def read(options: SampleOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the items, language by language.

    Raises:
        UserError: A file is missing, or a chosen language is not in the sample.
    """
    meanings = {}
    for _, record in _records(options.path / "meanings.jsonl", ("labels",), log):
        meanings[record["meaning"]] = record
        log.not_asked_for(options.path / "meanings.jsonl", "labels-of-other-rows")
    for file in _chosen_files(options):
        tag = language(file.stem).tag
        for line, record in _records(file, ("register", "text"), log):
            if options.registers is not None and record["register"] not in options.registers:
                log.not_asked_for(file)
                continue
            meaning = meanings.get(record["meaning"])
            if meaning is None:
                log.reject_row(
                    file, line, "unknown-meaning", f"meanings.jsonl has no meaning {record['meaning']!r:.30}"
                )
                continue
            log.row_gave(file, 1)
            yield _item(record, meaning, tag, taxonomy)


def _chosen_files(options: SampleOptions) -> list[Path]:
    files = {language(path.stem).tag: path for path in sorted((options.path / "texts").glob("*.jsonl"))}
    if not files:
        raise UserError(f"{options.path} holds no sample (texts/<language>.jsonl); leave corpus.path out for ours.")
    if options.languages is None:
        return list(files.values())
    chosen = [language(code).tag for code in options.languages]
    for code, tag in zip(options.languages, chosen, strict=True):
        if tag not in files:
            raise UserError(f"The sample has no {code!r}; it has {', '.join(files)}.")
    return [files[tag] for tag in dict.fromkeys(chosen)]


def _records(path: Path, needed: tuple[str, ...], log: RejectLog) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, content in read_lines(path):
        log.found_row(path)
        try:
            record = parse_line(content)
        except ValueError as error:
            log.reject_row(path, line, "not-json", str(error))
            continue
        missing = [name for name in ("meaning", *needed) if name not in record]
        if missing:
            log.reject_row(path, line, "missing-field", f"the line has no {missing[0]!r}")
            continue
        yield line, record


def _item(record: Mapping[str, Any], meaning: Mapping[str, Any], tag: str, taxonomy: Taxonomy) -> Item:
    return Item.from_dict(
        {
            "id": f"sample/{tag}/{record['register']}/{record['meaning']}",
            "text": record["text"],
            "language": tag,
            "source": "babelguard-sample",
            "source_id": f"sample/{record['meaning']}",
            "register": record["register"],
            "subset": meaning.get("kind"),
            "split": meaning.get("split"),
            "labels": {name: [meaning["labels"][name]] for name in taxonomy.names if name in meaning["labels"]},
            "metadata": {"nuance": meaning.get("nuance")},
        }
    )


SOURCE = Source(
    options=SampleOptions,
    read=read,
    licence="CC0-1.0",
    citation="The Babelguard authors, bundled sample corpus",
)
