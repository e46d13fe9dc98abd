"""Pairs of items that say the same in two registers: a text and its twin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.item_table import ItemTable

NEUTRAL = "neutral"
FORMAL = "formal"
TWIN_MARK = "#"
"""Stands between the parent's id and the register in the ids of twins that register shift makes."""

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Twins:
    """All pairs of one register in one language.

    Attributes:
        register: The register of the twins.
        language: BCP-47 tag.
        reference: The register of the texts that they are held against.
        base: Rows of those texts in the item table, shape (pairs,).
        twin: Rows of the twins, shape (pairs,).
    """

    register: str
    language: str
    reference: str
    base: NDArray[np.int64]
    twin: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TwinTable:
    """All pairs of a corpus.

    Attributes:
        twins: By register and language, sorted.
        alone: Register -> items in it without a text to be held against.
    """

    twins: tuple[Twins, ...]
    alone: Mapping[str, int]


def find_twins(items: ItemTable) -> TwinTable:
    """Pair every item in another register with its text in the language's register of reference.

    That register is ``neutral``; ``formal`` in a language that has nothing neutral (BanglaSafe's Bengali). A twin that
    register shift made names its parent in its id. Any other item is paired with the one text of reference that has
    its source_id, language and role; where there are several, the item stays alone.
    """
    references = _references(items)
    columns = (items.ids, items.source_ids, items.languages, items.roles, items.registers)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    by_id: dict[str, int] = {}
    by_key: dict[_Key, int | None] = {}
    for row, (name, content, tag, role, register) in enumerate(rows):
        if register == references.get(tag):
            by_id[name] = row
            key = (content, tag, role)
            by_key[key] = None if key in by_key else row
    pairs: dict[tuple[str, str], list[tuple[int, int]]] = {}
    alone: dict[str, int] = {}
    for row, (name, content, tag, role, register) in enumerate(rows):
        if tag not in references or register == references[tag]:
            continue
        base = by_id.get(name.rpartition(TWIN_MARK)[0])
        base = by_key.get((content, tag, role)) if base is None else base
        if base is None:
            alone[register] = alone.get(register, 0) + 1
        else:
            pairs.setdefault((register, tag), []).append((base, row))
    found = []
    for (register, tag), both in sorted(pairs.items()):
        base_rows, twin_rows = np.array(both, dtype=np.int64).T
        found.append(Twins(register, tag, references[tag], base_rows, twin_rows))
    return TwinTable(tuple(found), alone)


def _references(items: ItemTable) -> dict[str, str]:
    """Return the register of reference of every language that has several registers and one of the two."""
    found: dict[str, str] = {}
    for tag in np.unique(items.languages).tolist():
        registers = set(items.registers[items.languages == tag].tolist())
        reference = next((name for name in (NEUTRAL, FORMAL) if name in registers), None)
        if reference is not None and len(registers) > 1:
            found[tag] = reference
    return found
