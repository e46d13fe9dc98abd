"""The items of a run as columns: what figures need to know of them, without their texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.languages import language
from babelguard.taxonomy import Taxonomy
from evaluation.metrics.levels import MISSING


@dataclass(frozen=True, slots=True)
class ItemTable:
    """One row an item, in the order in which the source gave them.

    Attributes:
        ids: Item ids.
        keys: Hashes of what raters see.
        source_ids: Alignment keys.
        languages: BCP-47 tags.
        bands: ``high``, ``mid``, ``low`` (RTP-LX tiers) or an empty string.
        subsets: Parts of the source, or empty strings.
        roles: Roles.
        registers: Registers.
        raw: Annotator x item x category, levels from 1, `MISSING` where there is none (int8).
        published: Item x category, the one level that the source itself publishes for all annotators, `MISSING` where
            it publishes none (int8).
    """

    ids: NDArray[np.str_]
    keys: NDArray[np.str_]
    source_ids: NDArray[np.str_]
    languages: NDArray[np.str_]
    bands: NDArray[np.str_]
    subsets: NDArray[np.str_]
    roles: NDArray[np.str_]
    registers: NDArray[np.str_]
    raw: NDArray[np.int8]
    published: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def annotators(self) -> int:
        """The largest number of annotators that an item has."""
        return int(self.raw.shape[0])

    def at(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> ItemTable:
        """Return the table of some rows, by mask or by position."""
        columns = {each.name: getattr(self, each.name)[rows] for each in fields(self) if each.name != "raw"}
        return ItemTable(**columns, raw=self.raw[:, rows])


def build_item_table(items: Iterable[Item], categories: Taxonomy, origin: str) -> ItemTable:
    """Collect the columns.

    Args:
        items: The items, streamed once.
        categories: Which labels to keep, in order.
        origin: Where the items come from, for messages.

    Raises:
        UserError: There is no item, two share an id, or a label is off its scale.
    """
    columns: list[tuple[str, ...]] = []
    labels: list[list[tuple[int | None, ...]]] = []
    published: list[list[int]] = []
    seen: set[str] = set()
    names = categories.names
    for item in items:
        if item.id in seen:
            raise UserError(f"{origin}: two items have the id {item.id!r}; ids must be unique within a corpus.")
        seen.add(item.id)
        known = language(item.language)
        columns.append(
            (
                item.id,
                item.content_key(),
                item.source_id,
                known.tag,
                known.rtp_lx_band or "",
                item.subset or "",
                item.role.value,
                item.register,
            )
        )
        labels.append(_checked_labels(item, categories))
        published.append([item.aggregated[name].level if name in item.aggregated else MISSING for name in names])
    if not columns:
        raise UserError(f"{origin} gives no items; check the folder, the languages, the roles and the splits.")
    fields = ("ids", "keys", "source_ids", "languages", "bands", "subsets", "roles", "registers")
    arrays = {
        name: np.array(values, dtype=np.str_) for name, values in zip(fields, zip(*columns, strict=True), strict=True)
    }
    return ItemTable(**arrays, raw=_raw_array(labels), published=np.array(published, dtype=np.int8))


def _checked_labels(item: Item, categories: Taxonomy) -> list[tuple[int | None, ...]]:
    own = {name: (label.level,) for name, label in item.aggregated.items()}
    for name, levels in [*item.labels.items(), *own.items()]:
        if name not in categories:
            raise UserError(
                f"The item {item.id} has labels for {name!r}, which the taxonomy {categories.name} does not have; "
                f"its categories are {', '.join(categories.names)}."
            )
        for level in levels:
            if level is not None and not categories[name].has_level(level):
                raise UserError(
                    f"The item {item.id} has the level {level} for {name}, off the scale 1-{categories[name].scale}."
                )
    return [item.labels.get(name, ()) for name in categories.names]


def _raw_array(labels: list[list[tuple[int | None, ...]]]) -> NDArray[np.int8]:
    annotators = max((len(levels) for row in labels for levels in row), default=0)
    raw = np.full((annotators, len(labels), len(labels[0])), MISSING, dtype=np.int8)
    for position, row in enumerate(labels):
        for category, levels in enumerate(row):
            for annotator, level in enumerate(levels):
                raw[annotator, position, category] = MISSING if level is None else level
    return raw


def write_item_table(table: ItemTable, categories: Taxonomy, path: Path) -> None:
    """Write the table as Parquet: one row an item, one list of levels a category.

    Where a source publishes labels of its own, the column `published` has them, one a category in the taxonomy's order.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, object] = {
        "id": table.ids,
        "key": table.keys,
        "source_id": table.source_ids,
        "language": table.languages,
        "band": table.bands,
        "subset": table.subsets,
        "role": table.roles,
        "register": table.registers,
    }
    for position, name in enumerate(categories.names):
        levels = table.raw[:, :, position].T.astype(object)
        levels[levels == MISSING] = None
        columns[name] = [list(row) for row in levels]
    if (table.published != MISSING).any():
        own = table.published.astype(object)
        own[own == MISSING] = None
        columns["published"] = [list(row) for row in own]
    partial = path.with_name(f"{path.name}.partial")
    pq.write_table(pa.table(columns), partial)
    partial.replace(path)


def read_item_table(path: Path, categories: Taxonomy) -> ItemTable:
    """Read what `write_item_table` wrote.

    Raises:
        UserError: The file is missing, or is none of these for these categories.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; `python -m evaluation.run` writes it.") from None
    except pa.ArrowInvalid as error:
        raise UserError(f"{path} is no Parquet file of items: {error}.") from None
    plain = ("id", "key", "source_id", "language", "band", "subset", "role", "register")
    if absent := sorted({*plain, *categories.names} - set(table.column_names)):
        raise UserError(
            f"{path} lacks the columns {', '.join(absent)}; it is no table of items with labels of {categories.name}."
        )
    labels = [table[name].to_pylist() for name in categories.names]
    own = (
        table["published"].to_pylist() if "published" in table.column_names else [[None] * len(categories)] * len(table)
    )
    ids, keys, source_ids, languages, bands, subsets, roles, registers = (
        np.array(table[name].to_pylist(), dtype=np.str_) for name in plain
    )
    raw = _raw_array([[tuple(levels) for levels in row] for row in zip(*labels, strict=True)])
    published = np.array([[MISSING if level is None else level for level in row] for row in own], dtype=np.int8)
    return ItemTable(ids, keys, source_ids, languages, bands, subsets, roles, registers, raw, published)
