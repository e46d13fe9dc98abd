"""The classifier: a backbone, pooling, and a head that gives exceedance logits."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from train.classifier.heads import GuardHead


class GuardClassifier(nn.Module):
    """A guard whose output is the logits of P(level > above), category by category.

    Args:
        backbone: A transformers model without a head.
        head: The head.
        pooling: ``mean`` over tokens, ``first`` or ``last`` token.
    """

    def __init__(self, backbone: Any, head: GuardHead, pooling: str) -> None:  # noqa: ANN401 - a transformers model
        super().__init__()
        self.backbone = backbone
        self.head = head
        self.pooling = pooling
        # peft and the trainer ask a model for its configuration.
        self.config = backbone.config

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, with_scores: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Return logits, shape (batch, columns).

        Args:
            input_ids: Token ids, shape (batch, length), padded on either side.
            attention_mask: 1 at tokens and 0 at padding, same shape.
            with_scores: Return the head's own scores, which its loss is made of, and then the logits.
        """
        hidden = self.backbone(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        scores, logits = self.head(self.pool(hidden.float(), attention_mask))
        return (scores, logits) if with_scores else logits

    def pool(self, hidden: Tensor, attention_mask: Tensor) -> Tensor:
        """Return one vector for each text, shape (batch, hidden), for (batch, length, hidden)."""
        if self.pooling == "mean":
            mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
            return (hidden * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
        places = torch.arange(attention_mask.shape[1], device=attention_mask.device)
        if self.pooling == "first":
            wanted = (attention_mask * (attention_mask.shape[1] - places)).argmax(dim=1)
        else:
            wanted = (attention_mask * (places + 1)).argmax(dim=1)
        index = wanted.reshape(-1, 1, 1).expand(-1, 1, hidden.shape[-1])
        return hidden.gather(1, index).squeeze(1)

    def activation_checkpointing_enable(self, **options: Any) -> None:  # noqa: ANN401 - the trainer's options
        """Let the backbone compute activations twice and store few."""
        self.backbone.activation_checkpointing_enable(**options)
