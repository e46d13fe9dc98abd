"""What a source is: options that a recipe sets, and a reader that streams items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from babelguard.item import Item
from babelguard.recipe import RecipeModel
from babelguard.registry import Registry
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import Download, HubFiles

SOURCES = Registry(kind="source", package="data_prep.sources", attribute="SOURCE")


@dataclass(frozen=True, slots=True)
class Source:
    """One published data set.

    Attributes:
        options: The recipe model of its options.
        read: Streams the items for given options. Rows that cannot be read go to the log.
        licence: SPDX id or a clause, as the publisher says it.
        citation: Whom to cite.
        downloads: Where the publisher keeps its files, for ``python -m data_prep.fetch``.
        hub: Where it is on the Hugging Face hub, if the publisher keeps it there.
        part_licences: For a source that holds parts of others: from its options, name and licence of each part.
    """

    options: type[RecipeModel]
    read: Callable[[Any, Taxonomy, RejectLog], Iterator[Item]]
    licence: str
    citation: str
    downloads: tuple[Download, ...] = ()
    hub: HubFiles | None = None
    part_licences: Callable[[Any], Mapping[str, str]] | None = None
