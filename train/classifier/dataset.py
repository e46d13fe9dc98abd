"""What the trainer reads: draws of training texts, and windows of texts to rate; and how they become a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from train.classifier.encoding import EncodedTexts
from train.classifier.sampling import IntArray

FloatArray = NDArray[np.float32]


@dataclass(frozen=True)
class TrainingDraws:
    """The training in its planned order: entry i is the i-th draw.

    Attributes:
        texts: The training texts.
        items: Text of each draw.
        targets: Of each text, shape (texts, columns).
        twins: Group of register twins of each text; -1 for none.
        random_windows: Cut a long text anew in every draw, else take its beginning.
        seed: Of the random windows.
    """

    texts: EncodedTexts
    items: IntArray
    targets: FloatArray
    twins: IntArray
    random_windows: bool
    seed: int

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, draw: int) -> dict[str, Any]:
        text = int(self.items[draw])
        spare = len(self.texts.bodies[text]) - self.texts.room
        start = 0
        if self.random_windows and spare > 0:
            start = int(np.random.default_rng([self.seed, draw]).integers(spare + 1))
        return {"input_ids": self.texts.cut(text, start), "labels": self.targets[text], "twins": self.twins[text]}


@dataclass(frozen=True)
class WindowList:
    """Windows of texts in order of length, longest first, so that little is padded and memory fails at once or never.

    Attributes:
        texts: The texts.
        places: Text and start of each window.
        targets: Of each text, shape (texts, columns); `None` where nothing is compared.
    """

    texts: EncodedTexts
    places: Sequence[tuple[int, int]]
    targets: FloatArray | None = None

    @classmethod
    def first_windows(cls, texts: EncodedTexts, targets: FloatArray) -> WindowList:
        """Return the beginnings of all texts."""
        order = np.argsort(-texts.lengths, kind="stable")
        return cls(texts, [(int(text), 0) for text in order], targets)

    @classmethod
    def all_windows(cls, texts: EncodedTexts, overlap: int) -> WindowList:
        """Return the windows that cover all texts whole."""
        places = [(text, start) for text in range(len(texts)) for start in texts.starts(text, overlap)]
        sizes = np.array([len(texts.cut(*place)) for place in places])
        return cls(texts, [places[i] for i in np.argsort(-sizes, kind="stable")])

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, place: int) -> dict[str, Any]:
        text, start = self.places[place]
        record: dict[str, Any] = {"input_ids": self.texts.cut(text, start)}
        if self.targets is not None:
            record["labels"] = self.targets[text]
        return record

    @property
    def order(self) -> IntArray:
        """Text of each window."""
        return np.array([text for text, _ in self.places], dtype=np.int64)


@dataclass(frozen=True)
class Collator:
    """Pads a batch on the right to its longest text.

    Attributes:
        pad_token_id: What to pad with.
        multiple_of: Lengths are rounded up to a multiple of this, which GPUs are faster with.
    """

    pad_token_id: int
    multiple_of: int = 1

    def __call__(self, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return the batch's tensors."""
        import torch

        longest = max(len(record["input_ids"]) for record in records)
        width = -(-longest // self.multiple_of) * self.multiple_of
        ids = np.full((len(records), width), self.pad_token_id, dtype=np.int64)
        mask = np.zeros((len(records), width), dtype=np.int64)
        for row, record in enumerate(records):
            ids[row, : len(record["input_ids"])] = record["input_ids"]
            mask[row, : len(record["input_ids"])] = 1
        batch = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        if "labels" in records[0]:
            batch["labels"] = torch.from_numpy(np.stack([record["labels"] for record in records]))
        if "twins" in records[0]:
            batch["twins"] = torch.tensor([int(record["twins"]) for record in records])
        return batch


def twin_groups(source_ids: Sequence[str], languages: Sequence[str], roles: Sequence[str]) -> IntArray:
    """Return a number for each group of register twins, -1 for texts without any: shape (items,).

    Twins share source_id, language and role, and differ in register.
    """
    if not len(source_ids):
        return np.zeros(0, dtype=np.int64)
    keys = np.array(["\0".join(key) for key in zip(source_ids, languages, roles, strict=True)])
    _, group, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.where(counts[group] > 1, group, -1).astype(np.int64)


def partners_of(groups: IntArray) -> list[list[int]]:
    """Return for each text the other texts of its group."""
    members: dict[int, list[int]] = {}
    for text, group in enumerate(groups.tolist()):
        if group >= 0:
            members.setdefault(group, []).append(text)
    return [[other for other in members.get(group, ()) if other != text] for text, group in enumerate(groups.tolist())]
