"""MATH-500: competition mathematics, a check that a rater leaves ordinary work alone."""

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

NAME = "math-500"
_ANSWER = "The answer is:"
_HUB_FIELDS = ("solution", "answer", "subject", "level")


class Math500Options(RecipeModel):
    """What to read of MATH-500."""

    path: Path = Field(description="Folder with test.jsonl, or that file")


def read(options: Math500Options, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the problems, in the hub's layout (problem, solution, answer, ...) or as question and answer.

    Raises:
        UserError: The file is not there.
    """
    mapping_of(NAME, taxonomy)
    files = files_at(options.path, "test.jsonl", source="MATH-500")
    yield from items_from(read_json_lines(files[0], log), lambda row: [_item(row)], log)


def _item(row: Row) -> Item:
    if "problem" in row.fields:
        text = row.text("problem")
        metadata = {name: row.fields.get(name) for name in _HUB_FIELDS}
        key = f"{NAME}/{row.value('unique_id') or row.number}"
    elif "question" in row.fields:
        text = row.text("question")
        solution, found, answer = row.text("answer").rpartition(_ANSWER)
        if not found:
            raise RowError("no-answer", f"'answer' must end in {_ANSWER!r} and the answer")
        metadata = {"solution": solution, "answer": answer.strip()}
        key = f"{NAME}/{row.number}"
    else:
        raise RowError("another-schema", "the line has neither 'problem' nor 'question'")
    return Item(
        id=key,
        text=text,
        language="en",
        source=NAME,
        source_id=key,
        metadata={"request": "benign", **metadata},
        provenance=row.provenance(),
    )


SOURCE = Source(
    options=Math500Options,
    read=read,
    licence="MIT",
    citation="Hendrycks et al., Measuring Mathematical Problem Solving With the MATH Dataset, NeurIPS 2021; "
    "Lightman et al., Let's Verify Step by Step, 2023",
    hub=HubFiles("HuggingFaceH4/MATH-500", ("test.jsonl",)),
)
