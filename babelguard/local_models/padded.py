"""The same sequences as an ordinary padded batch: every one holds its whole prompt.

It makes no assumption about a model's layers, so it serves models that cannot be packed, and checks the packed way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from babelguard.local_models.sequences import cache_argument


class PaddedSequences:
    """Sequences padded on the left to one length whenever they are fed."""

    def __init__(self, model: Any, count: int) -> None:  # noqa: ANN401 - a transformers model
        """Begin with empty sequences.

        Args:
            model: `transformers.PreTrainedModel`.
            count: How many sequences.
        """
        import torch
        from transformers import DynamicCache

        self._model, self._count = model, count
        self._device = model.get_input_embeddings().weight.device
        self._cache = DynamicCache(config=model.config.get_text_config())
        self._mask = torch.empty((count, 0), dtype=torch.long, device=self._device)

    def feed(self, tokens: Sequence[Sequence[int]], numbers: Sequence[int]) -> Any:  # noqa: ANN401 - a tensor
        """Append tokens to some sequences; see `Sequences.feed`. The others are padded."""
        import torch

        width = max(map(len, tokens))
        ids = torch.zeros((self._count, width), dtype=torch.long, device=self._device)
        mask = torch.zeros_like(ids)
        for new, number in zip(tokens, numbers, strict=True):
            ids[number, width - len(new) :] = torch.tensor(list(new), device=self._device)
            mask[number, width - len(new) :] = 1
        self._mask = torch.cat([self._mask, mask], dim=1)
        positions = (self._mask.cumsum(dim=1) - 1).clamp(min=0)[:, -width:]
        with torch.inference_mode():
            found = self._model(
                input_ids=ids,
                attention_mask=self._mask,
                position_ids=positions,
                use_cache=True,
                logits_to_keep=1,
                **{cache_argument(self._model): self._cache},
            )
        return found.logits[list(numbers), -1].float()

    def drop(self, numbers: Sequence[int]) -> None:
        """Do nothing: rows of a padded batch stay until it ends."""
