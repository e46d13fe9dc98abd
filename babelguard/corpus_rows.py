"""The rows of a corpus's shards: one Arrow schema, and items to and from it.

Labels are a struct with one field a category. A null field means that the source does not label the category; a null
inside its list, that this annotator gave no level. Metadata and provenance are JSON, because every source has its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from babelguard.aggregation import AggregatedLabel, aggregate
from babelguard.item import Item, Message, Role
from babelguard.taxonomy import Taxonomy

if TYPE_CHECKING:
    import pyarrow as pa

SPLITS = ("train", "calibration", "test")

_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN = ("id", "text", "language", "source", "source_id", "role", "register", "subset", "dialect", "split")
_JSON = ("metadata", "provenance")


def row_schema(taxonomy: Taxonomy) -> pa.Schema:
    """Return the schema of a shard for the categories of a taxonomy."""
    import pyarrow as pa

    text, level = pa.string(), pa.int8()
    message = pa.struct([("role", text), ("content", text)])
    one_level = pa.struct([("level", level), ("rule", text)])
    return pa.schema(
        [
            *((name, text) for name in _PLAIN),
            ("part", text),
            ("cluster", text),
            ("labels", pa.struct([(name, pa.list_(level)) for name in taxonomy.names])),
            ("aggregated", pa.struct([(name, one_level) for name in taxonomy.names])),
            ("messages", pa.list_(message)),
            *((name, text) for name in _JSON),
        ]
    )


def rows_of(items: Sequence[Item], part: str, taxonomy: Taxonomy) -> pa.RecordBatch:
    """Return items as rows; the column `cluster` is left null.

    Args:
        items: The items.
        part: Name of the part of the corpus that they belong to.
        taxonomy: Whose categories the labels are of.

    Raises:
        UnicodeEncodeError: A text holds a lone surrogate, which no UTF-8 file can keep.
    """
    import pyarrow as pa

    schema = row_schema(taxonomy)
    columns: dict[str, pa.Array] = {
        name: pa.array([getattr(item, name) for item in items], pa.string()) for name in _PLAIN if name != "role"
    }
    columns["role"] = pa.array([item.role.value for item in items], pa.string())
    columns["part"] = pa.array([part] * len(items), pa.string())
    columns["cluster"] = pa.nulls(len(items), pa.string())
    aggregated = [item.aggregated_labels() for item in items]
    columns["labels"] = pa.StructArray.from_arrays(
        [pa.array([item.labels.get(name) for item in items], pa.list_(pa.int8())) for name in taxonomy.names],
        fields=list(schema.field("labels").type),
    )
    columns["aggregated"] = pa.StructArray.from_arrays(
        [_aggregated_array([row.get(name) for row in aggregated]) for name in taxonomy.names],
        fields=list(schema.field("aggregated").type),
    )
    turns = [[{"role": m.role, "content": m.content} for m in item.messages] or None for item in items]
    columns["messages"] = pa.array(turns, schema.field("messages").type)
    for name in _JSON:
        columns[name] = pa.array([_json(getattr(item, name)) for item in items], pa.string())
    return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)


def _aggregated_array(labels: list[AggregatedLabel | None]) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    return pa.StructArray.from_arrays(
        [
            pa.array([None if label is None else label.level for label in labels], pa.int8()),
            pa.array([None if label is None else label.rule for label in labels], pa.string()),
        ],
        names=["level", "rule"],
        mask=pa.array(np.array([label is None for label in labels], dtype=bool)),
    )


def _json(value: Mapping[str, Any]) -> str | None:
    if not value:
        return None
    text = json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"), default=str)
    if text.isascii() or not _SURROGATE.search(text):
        return text
    # No column holds half of a surrogate pair; its escape it does.
    return json.dumps(dict(value), separators=(",", ":"), default=str)


def items_of(rows: pa.RecordBatch) -> Iterator[Item]:
    """Yield the items of rows in order."""
    for row in rows.to_pylist():
        labels = {name: tuple(levels) for name, levels in row["labels"].items() if levels is not None}
        yield Item(
            **{name: row[name] for name in _PLAIN if name != "role"},
            role=Role(row["role"]),
            labels=labels,
            aggregated=_published(row["aggregated"], labels),
            messages=tuple(Message(**turn) for turn in row["messages"] or ()),
            metadata={**_from_json(row["metadata"]), "part": row["part"]},
            provenance=_from_json(row["provenance"]),
        )


def _from_json(text: str | None) -> dict[str, Any]:
    return {} if text is None else dict(json.loads(text))


def _published(
    stored: Mapping[str, Mapping[str, Any] | None], labels: Mapping[str, tuple[int | None, ...]]
) -> dict[str, AggregatedLabel]:
    """Return the aggregated labels that the source published: those that the raw labels do not give."""
    found = {}
    for name, cell in stored.items():
        if cell is None:
            continue
        label = AggregatedLabel(cell["level"], cell["rule"])
        if label != aggregate(labels.get(name, ())):
            found[name] = label
    return found
