"""Heads: from a pooled vector to scores, and from scores to the logits of P(level > above).

- ``cumulative``: the cumulative-link model (McCullagh 1980; CORAL, Cao et al. 2020): one score s a category, and
  cutpoints c_1 < c_2 < ... (kept in order by adding positive steps): logit P(level > k) = s - c_k.
- ``corn`` (Shi et al. 2023): scores are the logits of the conditionals P(level > k | level > k - 1), and
  P(level > k) is their product up to k.
- ``multi-label``: every column a logit of its own; nothing keeps them in order.
- ``softmax``: scores are the logits of the levels; P(level > k) sums over the levels above.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from train.classifier.options import HeadKind

LEAST = 1e-6
"""Keeps logarithms of probabilities away from those of 0 and 1."""
NEVER = -6.0
"""Logit of a column that no training item covers: never exceeded, whatever the text."""


class GuardHead(nn.Module):
    """A head for several ordinal categories.

    Args:
        kind: See above.
        hidden: Length of the pooled vector.
        scales: Highest level of each category.
        dropout: Of the pooled vector.
        normalise: Layer norm of the pooled vector before it.
    """

    def __init__(self, kind: HeadKind, hidden: int, scales: Sequence[int], *, dropout: float, normalise: bool) -> None:
        super().__init__()
        self.kind = kind
        self.scales = tuple(scales)
        self.norm = nn.LayerNorm(hidden, elementwise_affine=False) if normalise else nn.Identity()
        self.dropout = nn.Dropout(dropout)
        widths = {"cumulative": len(self.scales), "softmax": sum(self.scales)}
        self.linear = nn.Linear(hidden, widths.get(kind, self.columns), bias=kind != "cumulative")
        # Zero weights and biases at the prior: the first steps tell texts apart, and do not look for the prior.
        nn.init.zeros_(self.linear.weight)
        if kind == "cumulative":
            self.first_cutpoints = nn.Parameter(torch.zeros(len(self.scales)))
            self.steps = nn.Parameter(torch.zeros(self.columns - len(self.scales)))
        else:
            nn.init.zeros_(self.linear.bias)

    @property
    def columns(self) -> int:
        """The number of exceedance logits."""
        return sum(scale - 1 for scale in self.scales)

    def forward(self, pooled: Tensor) -> tuple[Tensor, Tensor]:
        """Return scores, shape (batch, scores), and exceedance logits, (batch, columns), for vectors (batch, hidden).

        Both at once, because a wrapper around the head (peft, FSDP) has to see all of its weights used in one call.
        """
        if torch.is_autocast_enabled(pooled.device.type):
            # Logits and the logarithms of their probabilities need float32, whatever the backbone computes in.
            with torch.autocast(pooled.device.type, enabled=False):
                return self._read(pooled)
        return self._read(pooled)

    def _read(self, pooled: Tensor) -> tuple[Tensor, Tensor]:
        scores: Tensor = self.linear(self.dropout(self.norm(pooled.float())))
        return scores, self.exceedance(scores)

    def exceedance(self, scores: Tensor) -> Tensor:
        """Return the logits of P(level > above), shape (batch, columns), for scores."""
        if self.kind == "multi-label":
            return scores
        if self.kind == "cumulative":
            repeats = torch.tensor([scale - 1 for scale in self.scales], device=scores.device)
            return scores.repeat_interleave(repeats, dim=1) - self.cutpoints()
        if self.kind == "corn":
            return torch.cat([_corn(part) for part in torch.split(scores, [s - 1 for s in self.scales], dim=1)], dim=1)
        return torch.cat([_softmax(part) for part in torch.split(scores, list(self.scales), dim=1)], dim=1)

    def cutpoints(self) -> Tensor:
        """Return the cutpoints of a cumulative head in order, shape (columns,)."""
        steps = torch.split(nn.functional.softplus(self.steps), [scale - 2 for scale in self.scales])
        parts = [
            torch.cat([first.reshape(1), first + further.cumsum(0)])
            for first, further in zip(self.first_cutpoints, steps, strict=True)
        ]
        return torch.cat(parts)

    @torch.no_grad()
    def start_at(self, shares: Sequence[Sequence[float] | None]) -> None:
        """Set biases or cutpoints so that every text has the prior.

        Args:
            shares: For each category the shares of items above each level, or `None` where no item covers it.
        """
        first, steps, bias = [], [], []
        for share, scale in zip(shares, self.scales, strict=True):
            above = torch.tensor([torch.sigmoid(torch.tensor(NEVER)).item()] * (scale - 1) if share is None else share)
            above = above.clamp(1e-3 if share is not None else LEAST, 1 - 1e-3)
            above = torch.minimum(above, above.cummin(0).values * (1 - 1e-3) ** torch.arange(scale - 1))
            logits = torch.logit(above)
            first.append(-logits[:1])
            steps.append(_inverse_softplus((logits[:-1] - logits[1:]).clamp(min=1e-2)))
            bias.append(self._bias(above))
        if self.kind == "cumulative":
            self.first_cutpoints.copy_(torch.cat(first))
            self.steps.copy_(torch.cat(steps))
        else:
            self.linear.bias.copy_(torch.cat(bias))

    def _bias(self, above: Tensor) -> Tensor:
        if self.kind == "corn":
            before = torch.cat([torch.ones(1), above[:-1]])
            return torch.logit((above / before).clamp(LEAST, 1 - LEAST))
        if self.kind == "softmax":
            edges = torch.cat([torch.ones(1), above, torch.zeros(1)])
            return (edges[:-1] - edges[1:]).clamp(min=LEAST).log()
        return torch.logit(above)


def _corn(conditionals: Tensor) -> Tensor:
    """Return logits of the products of the conditionals: log p - log(1 - p)."""
    log_p = nn.functional.logsigmoid(conditionals).cumsum(dim=1)
    return log_p - torch.log(-torch.expm1(log_p.clamp(max=-LEAST)))


def _softmax(levels: Tensor) -> Tensor:
    """Return logits of P(level > k): log-sum-exp over the levels above, less that over the others."""
    above = [levels[:, k:].logsumexp(dim=1) - levels[:, :k].logsumexp(dim=1) for k in range(1, levels.shape[1])]
    return torch.stack(above, dim=1)


def _inverse_softplus(value: Tensor) -> Tensor:
    return value + torch.log(-torch.expm1(-value))
