"""Key-value states of the beginnings that prompts have in common, computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from babelguard.local_models.sequences import cache_argument

_LONG_ENOUGH = 256
"""A stored beginning that shares this many tokens is used, even if the prompts share more among themselves."""


@dataclass
class Prefix:
    """The beginning of prompts and its states.

    Attributes:
        ids: Its tokens.
        layers: Keys and values a layer, each 1 x heads x tokens x width.
    """

    ids: tuple[int, ...]
    layers: list[tuple[Any, Any]]


@dataclass
class Prefixes:
    """The beginnings that a model has seen lately; each is computed once and then shortened to what recurs.

    Attributes:
        model: `transformers.PreTrainedModel`.
        most: How many are kept; one a kind of prompt is enough.
        computed: How many have been computed so far.
    """

    model: Any
    most: int = 4
    computed: int = 0
    stored: list[Prefix] = field(default_factory=list)

    def shared_by(self, prompts: Sequence[Sequence[int]]) -> Prefix:
        """Return a beginning of all prompts, which leaves each of them at least one token."""
        common = common_beginning([tuple(prompt[: len(prompt) - 1]) for prompt in prompts])
        best, length = None, 0
        for prefix in self.stored:
            shared = len(common_beginning([prefix.ids, common]))
            if shared > length:
                best, length = prefix, shared
        if best is None or length < min(_LONG_ENOUGH, (len(common) + 1) // 2):
            best = self._compute(common)
            self.stored = [*self.stored[-self.most + 1 :], best]
            self.computed += 1
        elif length < len(best.ids):
            best.layers = [(keys[:, :, :length], values[:, :, :length]) for keys, values in best.layers]
            best.ids = best.ids[:length]
        return best

    def _compute(self, ids: tuple[int, ...]) -> Prefix:
        import torch
        from transformers import DynamicCache

        if not ids:
            return Prefix((), [])
        # Without a configuration every layer keeps all positions, so that a prefix can be shortened later.
        cache: Any = DynamicCache()
        with torch.inference_mode():
            tokens = torch.tensor([ids], device=self.model.get_input_embeddings().weight.device)
            self.model(input_ids=tokens, use_cache=True, logits_to_keep=1, **{cache_argument(self.model): cache})
        return Prefix(ids, [(layer.keys, layer.values) for layer in cache.layers])


def common_beginning(sequences: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the tokens that all sequences begin with."""
    first, last = min(sequences), max(sequences)
    end = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:end]
