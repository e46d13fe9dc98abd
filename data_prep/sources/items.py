"""Items as JSON lines: what annotation sheets come back as, and what any derived corpus may be kept in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.jsonl import parse_line, read_lines
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.source import Source


class ItemsOptions(RecipeModel):
    """What to read."""

    path: Path = Field(description="A JSON lines file of items, one a line, as `Item.to_dict` writes them")


def read(options: ItemsOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:  # noqa: ARG001 - the reader's contract
    """Stream the items.

    Raises:
        UserError: The file is missing, or is a folder.
    """
    if options.path.is_dir():
        raise UserError(
            f"{options.path} is a folder; give a JSON lines file of items in it, or take the source `corpus`, which "
            "reads a folder that `python -m data_prep.build` made."
        )
    for line, content in read_lines(options.path):
        log.found_row(options.path)
        try:
            item = Item.from_dict(parse_line(content))
        except ValueError as error:
            log.reject_row(options.path, line, "not-json", str(error))
        except UserError as error:
            log.reject_row(options.path, line, "not-an-item", str(error).rstrip("."))
        else:
            log.row_gave(options.path, 1)
            yield item


SOURCE = Source(
    options=ItemsOptions,
    read=read,
    licence="as whoever made the items says",
    citation="as whoever made the items says",
)
