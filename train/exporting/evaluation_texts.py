"""The texts on which an export is judged, and what the trained model says of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from babelguard.item import Item
from serve.batches import pad, plan_batches
from serve.bundle import BundleCategory
from serve.windows import Encoded, Encoder
from train.calibrating.data import CalibrationData, benign_items
from train.classifier.columns import Columns, majority_levels
from train.corpus import shown_text

Ids = NDArray[np.int64]
Logits = NDArray[np.float32]
Forward = Callable[[Ids, Ids], Logits]
"""From token ids and mask, [batch, length], to logits, [batch, columns]."""


@dataclass(frozen=True)
class EvaluationTexts:
    """Items to compare decisions on.

    Attributes:
        texts: What the guard reads of each.
        encoded: Their windows by the whole tokenizer.
        data: People's levels, languages and source_ids; its logits are zeros.
    """

    texts: tuple[str, ...]
    encoded: tuple[Encoded, ...]
    data: CalibrationData

    @property
    def windows(self) -> list[Ids]:
        """All windows, text by text."""
        return [window for text in self.encoded for window in text.windows]


def evaluation_texts(
    items: Sequence[Item], encoder: Encoder, categories: Sequence[BundleCategory], most: int | None
) -> EvaluationTexts:
    """Take items to compare decisions on; those without a token are left out, as no model sees them.

    Args:
        items: The items.
        encoder: The whole tokenizer.
        categories: The categories in the columns' order.
        most: Take so many at most, by a hash of their ids.

    Raises:
        UserError: There is no item with a token.
    """
    chosen = sorted(items, key=lambda item: hashlib.sha256(item.id.encode()).digest())[:most]
    texts = [shown_text(item) for item in chosen]
    encoded = encoder.encode(texts)
    rows = [row for row, each in enumerate(encoded) if each.windows]
    if not rows:
        raise UserError("The evaluation split holds no text to compare the exported model on; set export.split.")
    kept = [chosen[row] for row in rows]
    columns = Columns(tuple(c.name for c in categories), tuple(c.scale for c in categories))
    levels = majority_levels(kept, columns).astype(np.float64)
    data = CalibrationData(
        logits=np.zeros((len(kept), len(columns))),
        levels=levels,
        languages=np.array([item.language for item in kept], dtype=np.str_),
        benign=benign_items([item.role.value for item in kept], levels),
        source_ids=np.array([item.source_id for item in kept], dtype=np.str_),
        categories=tuple(categories),
    )
    return EvaluationTexts(tuple(texts[row] for row in rows), tuple(encoded[row] for row in rows), data)


def score(windows: Sequence[Ids], forward: Forward, padding: int, columns: int, batch_tokens: int = 2048) -> Logits:
    """Return logits of windows, [windows, columns], in batches of like length."""
    found = np.empty((len(windows), columns), dtype=np.float32)
    for batch in plan_batches([len(window) for window in windows], batch_tokens):
        found[batch] = forward(*pad([windows[place] for place in batch], padding))
    return found


def rescored(before: Sequence[Ids], logits: Logits, after: Sequence[Ids], forward: Forward, padding: int) -> Logits:
    """Return logits of windows, taking those of equal windows that were scored already.

    Args:
        before: Windows that were scored.
        logits: Their logits.
        after: Windows to score, in the same ids.
        forward: The model.
        padding: Token id that fills batches up.
    """
    known = {window.tobytes(): row for row, window in enumerate(before)}
    places = [known.get(window.tobytes()) for window in after]
    missing = [row for row, place in enumerate(places) if place is None]
    found = np.empty((len(after), logits.shape[1]), dtype=np.float32)
    for row, place in enumerate(places):
        if place is not None:
            found[row] = logits[place]
    if missing:
        found[missing] = score([after[row] for row in missing], forward, padding, logits.shape[1])
    return found


def torch_forward(model: object) -> Forward:
    """Return a forward pass of a torch classifier on arrays."""
    import torch

    def forward(ids: Ids, mask: Ids) -> Logits:
        with torch.inference_mode():
            logits = model(torch.from_numpy(ids), torch.from_numpy(mask))  # type: ignore[operator]
        return np.asarray(logits.float().cpu().numpy())

    return forward


def onnx_forward(path: Path, columns: int, padding: int) -> Forward:
    """Return a forward pass of an ONNX file on arrays, on the CPU, as serving runs it."""
    from serve.engine import Engine, EngineOptions

    engine = Engine(path, columns=columns, padding=padding, options=EngineOptions(provider="cpu"))
    return engine.run
