"""What a running batch of sequences is, however it is laid out in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Any, Protocol


class Sequences(Protocol):
    """Token sequences that grow together.

    Sequences are named by their numbers, 0 for the first prompt. Every call sees all tokens that it has been fed.
    """

    def feed(self, tokens: Sequence[Sequence[int]], numbers: Sequence[int]) -> Any:  # noqa: ANN401 - a tensor
        """Append tokens to some sequences.

        Args:
            tokens: For every named sequence at least one token.
            numbers: Which sequences, ascending.

        Returns:
            float32 tensor, named sequence x vocabulary: the logits behind its last token.
        """
        ...

    def drop(self, numbers: Sequence[int]) -> None:
        """Forget sequences that have ended."""
        ...


def cache_argument(model: Any) -> str:  # noqa: ANN401 - a transformers model
    """Return what the model's forward calls its key-value cache: `cache`, or the older `past_key_values`."""
    return "cache" if "cache" in signature(model.forward).parameters else "past_key_values"


@contextmanager
def only_rows(model: Any, ids: Sequence[int]) -> Iterator[bool]:  # noqa: ANN401 - a transformers model
    """Let a model compute the logits of a few tokens instead of its whole vocabulary, while the context lasts.

    The model's own scaling and capping of logits still apply. Column i of its logits is then the token `ids[i]`.

    Yields:
        Whether that is so; not where the output layer is quantised, offloaded or otherwise no plain matrix.
    """
    import torch

    whole = model.get_output_embeddings()
    if type(whole) is not torch.nn.Linear or whole.weight.device.type == "meta" or hasattr(whole, "_hf_hook"):
        yield False
        return
    rows = torch.tensor(list(ids), device=whole.weight.device)
    few = torch.nn.Linear(whole.in_features, len(ids), bias=whole.bias is not None, device="meta")
    few.weight = torch.nn.Parameter(whole.weight[rows], requires_grad=False)
    if whole.bias is not None:
        few.bias = torch.nn.Parameter(whole.bias[rows], requires_grad=False)
    model.set_output_embeddings(few)
    try:
        yield True
    finally:
        model.set_output_embeddings(whole)
