"""Label probabilities of texts, in batches of like length that fill a budget of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.local_models.halving import HalvingBatches
from babelguard.local_models.shelf import SHELF
from evaluation.classifying.checkpoint import Checkpoint
from evaluation.classifying.labels import Activation
from evaluation.classifying.windows import cut

ON_CPU, ON_GPU = 1024, 16_384
"""Tokens in a batch."""

Probabilities = NDArray[np.float64]
"""Windows x labels."""


@dataclass
class Scorer:
    """Runs a classifier.

    Attributes:
        checkpoint: The model; its weights are loaded when the first text comes.
        activation: How its outputs become probabilities.
        window: Tokens in a window, special ones included.
        overlap: Tokens that neighbouring windows share.
        batch_tokens: Tokens in a batch, padding left out, at most; one window may have more by itself. If `None`, what
            keeps the processor busy: more makes a CPU slower, for a batch then leaves its caches.
        device: As torch names it, or ``auto``.
        dtype: Type of the weights, as torch names it.
    """

    checkpoint: Checkpoint
    activation: Activation
    window: int
    overlap: int
    batch_tokens: int | None = None
    device: str = "auto"
    dtype: str = "float32"

    @property
    def model(self) -> Any:  # noqa: ANN401 - a model of transformers
        """The model, loaded when it is needed; it leaves memory when another one is."""
        key = f"classifier {self.checkpoint.source} {self.checkpoint.digest} {self.device} {self.dtype}"
        return SHELF.get(key, self._load)

    def _load(self) -> Any:  # noqa: ANN401 - likewise
        model = self.checkpoint.load(self.device, self.dtype)
        model.config.get_text_config().pad_token_id = self.padding
        return model

    @cached_property
    def padding(self) -> int:
        """Id of the token that fills batches up."""
        config, tokenizer = self.checkpoint.config.get_text_config(), self.checkpoint.tokenizer
        said = (config.pad_token_id, tokenizer.pad_token_id, tokenizer.eos_token_id, 0)
        return int(next(token for token in said if token is not None))

    def score(self, texts: Sequence[str]) -> list[Probabilities | None]:
        """Return the label probabilities of every text's windows, in order.

        Returns:
            One array a text; `None` where a window does not fit into memory even alone. A text without a token has an
            array without rows.
        """
        by_text = cut(self.checkpoint.tokenizer, texts, self.window, self.overlap)
        flat = [(number, ids) for number, several in enumerate(by_text) for ids in several if ids]
        order = sorted(range(len(flat)), key=lambda place: -len(flat[place][1]))
        batches: HalvingBatches[list[int], Probabilities | None] = HalvingBatches(
            work=self._forward,
            cost=len,
            most_elements=max(1, len(flat)),
            most_cost=self.batch_tokens or (ON_CPU if self.model.device.type == "cpu" else ON_GPU),
            failed=lambda _: None,
        )
        found: list[list[Probabilities | None]] = [[] for _ in texts]
        rows: list[Probabilities | None] = [None] * len(flat)
        for place, row in zip(order, batches.run([flat[place][1] for place in order]), strict=True):
            rows[place] = row
        for (number, _), row in zip(flat, rows, strict=True):
            found[number].append(row)
        labels = self.checkpoint.config.num_labels
        return [_stacked(windows, labels) for windows in found]

    def _forward(self, windows: Sequence[list[int]]) -> list[Probabilities]:
        import torch

        longest = max(map(len, windows))
        ids = torch.full((len(windows), longest), self.padding)
        mask = torch.zeros((len(windows), longest), dtype=torch.long)
        for row, window in enumerate(windows):
            ids[row, : len(window)] = torch.tensor(window)
            mask[row, : len(window)] = 1
        device = self.model.device
        with torch.inference_mode():
            logits = self.model(input_ids=ids.to(device), attention_mask=mask.to(device)).logits.float()
            probabilities = logits.sigmoid() if self.activation == "sigmoid" else logits.softmax(dim=-1)
        return list(probabilities.cpu().numpy().astype(np.float64))


def _stacked(windows: Sequence[Probabilities | None], labels: int) -> Probabilities | None:
    known = [row for row in windows if row is not None]
    if len(known) < len(windows):
        return None
    return np.stack(known) if known else np.zeros((0, labels))
