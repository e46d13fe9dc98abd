"""The predictions of a run: one Parquet file a split, one row an item, what a guard says and what people said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from babelguard.item import Item, Role

LOGIT = "logit:"
LEVEL = "level:"


@dataclass(frozen=True)
class Predictions:
    """What a classifier says of the items of a split.

    Attributes:
        items: Item ids.
        source_ids: Alignment keys.
        languages: BCP-47 tags.
        roles: Roles.
        registers: Registers.
        sources: Data sets that the items come from.
        benign: Whether an item is harmless by construction.
        titles: Names of the columns, such as ``Insult>1``.
        logits: Shape (items, columns): logits of P(level > above), uncalibrated; the highest over a text's windows.
        categories: Names of the categories.
        levels: Shape (items, categories): the one level that stands for the annotators, NaN where not covered.
    """

    items: NDArray[np.str_]
    source_ids: NDArray[np.str_]
    languages: NDArray[np.str_]
    roles: NDArray[np.str_]
    registers: NDArray[np.str_]
    sources: NDArray[np.str_]
    benign: NDArray[np.bool_]
    titles: tuple[str, ...]
    logits: NDArray[np.float32]
    categories: tuple[str, ...]
    levels: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.items)

    @classmethod
    def of(
        cls,
        items: Sequence[Item],
        titles: Sequence[str],
        logits: NDArray[np.float32],
        categories: Sequence[str],
        levels: NDArray[np.floating[Any]],
    ) -> Predictions:
        """Put items and arrays together."""

        def column(name: str) -> NDArray[np.str_]:
            return np.array([str(getattr(item, name)) for item in items], dtype=np.str_)

        return cls(
            items=column("id"),
            source_ids=column("source_id"),
            languages=column("language"),
            roles=column("role"),
            registers=column("register"),
            sources=column("source"),
            benign=np.array([item.role is Role.BENIGN_COMPLETION for item in items], dtype=bool),
            titles=tuple(titles),
            logits=logits,
            categories=tuple(categories),
            levels=levels.astype(np.float64),
        )


def write_predictions(predictions: Predictions, path: Path) -> None:
    """Write them, whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, object] = {
        "item": predictions.items,
        "source_id": predictions.source_ids,
        "language": predictions.languages,
        "role": predictions.roles,
        "register": predictions.registers,
        "source": predictions.sources,
        "benign": predictions.benign,
    }
    for place, title in enumerate(predictions.titles):
        columns[LOGIT + title] = predictions.logits[:, place]
    for place, name in enumerate(predictions.categories):
        columns[LEVEL + name] = pa.array(predictions.levels[:, place], pa.float64(), from_pandas=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    pq.write_table(pa.table(columns), partial)
    partial.replace(path)


def read_predictions(path: Path) -> Predictions:
    """Read them.

    Raises:
        UserError: The file is missing or is none of these.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; `python -m train.run` writes it when training has ended.") from None
    except pa.ArrowInvalid as error:
        raise UserError(f"{path} is no Parquet file of predictions: {error}.") from None
    titles = [name.removeprefix(LOGIT) for name in table.column_names if name.startswith(LOGIT)]
    categories = [name.removeprefix(LEVEL) for name in table.column_names if name.startswith(LEVEL)]
    if not titles or not categories:
        raise UserError(f"{path} holds no logits or no levels; it is no file of a classifier's predictions.")
    plain = ("item", "source_id", "language", "role", "register", "source")
    items, source_ids, languages, roles, registers, sources = (
        np.array(table[name].to_pylist(), dtype=np.str_) for name in plain
    )
    return Predictions(
        items,
        source_ids,
        languages,
        roles,
        registers,
        sources,
        benign=np.array(table["benign"].to_pylist(), dtype=bool),
        titles=tuple(titles),
        logits=np.stack([table[LOGIT + title].to_numpy() for title in titles], axis=1).astype(np.float32),
        categories=tuple(categories),
        levels=np.stack([table[LEVEL + name].to_numpy() for name in categories], axis=1).astype(np.float64),
    )
