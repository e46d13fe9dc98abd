"""Which items a figure is about: everything, and every part that the corpus has more than one of."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.item_table import ItemTable
from evaluation.measures import Slice

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Part:
    """A slice and the items in it."""

    slice: Slice
    mask: Mask


@dataclass(frozen=True, slots=True)
class Family:
    """One part of the corpus across its languages, and the same part within each language.

    Attributes:
        whole: The part across languages.
        languages: The part within each language that has items in it, by tag.
        bands: The part within each band of languages, with the tags of the band; empty where it is not asked for.
    """

    whole: Part
    languages: dict[str, Part]
    bands: tuple[tuple[Part, tuple[str, ...]], ...] = ()

    @property
    def main(self) -> bool:
        """Whether this is the whole corpus, not a subset, role or register of it."""
        return self.whole.slice == Slice()


MOST_PARTS = 8
"""Agreement is measured within each subset, role or register up to this many of them.

A corpus with thirty registers made by rule would take most of a run's time; what a register does to a rater is
measured against its neutral twins in any case.
"""


def families(items: ItemTable) -> list[Family]:
    """Return the family of all labelled items, then one for every subset, role and register of a few.

    Items without a human label are in none of them.
    """
    labelled: Mask = np.asarray((items.raw > 0).any(axis=(0, 2)))
    everything = _family(items, Part(Slice(), labelled))
    found = [replace(everything, bands=_bands(items, labelled, tuple(everything.languages)))]
    columns = {"subset": items.subsets, "role": items.roles, "register": items.registers}
    for dimension, column in columns.items():
        values = [str(value) for value in np.unique(column[labelled]) if value]
        if not 2 <= len(values) <= MOST_PARTS:
            continue
        for value in values:
            found.append(_family(items, Part(Slice(**{dimension: value}), labelled & (column == value))))
    return found


def _family(items: ItemTable, whole: Part) -> Family:
    tags = [str(tag) for tag in np.unique(items.languages[whole.mask])]
    languages = {tag: Part(replace(whole.slice, language=tag), whole.mask & (items.languages == tag)) for tag in tags}
    return Family(whole, languages)


def _bands(items: ItemTable, labelled: Mask, tags: tuple[str, ...]) -> tuple[tuple[Part, tuple[str, ...]], ...]:
    of_language = {tag: str(items.bands[items.languages == tag][0]) for tag in tags}
    names = [name for name in ("high", "mid", "low") if name in of_language.values()]
    if len(names) < 2:
        return ()
    return tuple(
        (
            Part(Slice(band=name), labelled & (items.bands == name)),
            tuple(tag for tag, band in of_language.items() if band == name),
        )
        for name in names
    )
