"""Losses: of scores against targets, with what is not covered masked out; and between register twins.

A target is what share of the annotators is above a level (or whether their majority is), so that one loss serves hard
and soft labels. Every item counts by its covered categories alike, whatever their number of levels.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class GuardLoss(nn.Module):
    """The loss of a head.

    ``cumulative`` and ``multi-label``: binary cross-entropy of each column. ``corn``: of each conditional, over the
    items above the level before (Shi et al. 2023). ``softmax``: cross-entropy over levels.

    Args:
        head_kind: Kind of the head.
        scales: Highest level of each category.
        positive_weights: Of the positive side of each column, shape (columns,).
        focal_gamma: Each term is weighted by (1 - p)^gamma, p the probability given to what is true (Lin et al. 2017).
    """

    positive_weights: Tensor

    def __init__(
        self, head_kind: str, scales: Sequence[int], positive_weights: Sequence[float], focal_gamma: float
    ) -> None:
        super().__init__()
        self.head_kind = head_kind
        self.scales = tuple(scales)
        self.focal_gamma = focal_gamma
        self.register_buffer("positive_weights", torch.tensor(positive_weights, dtype=torch.float32), persistent=False)

    def forward(self, scores: Tensor, logits: Tensor, targets: Tensor) -> Tensor:
        """Return the loss of each item, shape (batch,); 0 for one that covers nothing.

        Args:
            scores: The head's scores.
            logits: Exceedance logits, shape (batch, columns).
            targets: Shape (batch, columns), 0 to 1, NaN where not covered.
        """
        covered = ~torch.isnan(targets)
        known = torch.where(covered, targets, torch.zeros_like(targets))
        if self.head_kind == "softmax":
            # Of a category whose severity is open, only P(level > 1) is known to be right or wrong.
            terms = torch.where(
                self._open(covered), self._binary(logits, known, 1 - known), self._by_level(scores, known)
            )
        elif self.head_kind == "corn":
            before = self._before(known)
            terms = self._binary(scores, known, before - known)
        else:
            terms = self._binary(logits, known, 1 - known)
        widths = [scale - 1 for scale in self.scales]
        # Within a category, the columns that are known count alike: a binary source tells only the first.
        counts = torch.stack([part.sum(dim=1) for part in torch.split(covered, widths, dim=1)], dim=1)
        shown = torch.split(torch.where(covered, terms, torch.zeros_like(terms)), widths, dim=1)
        by_category = torch.stack([part.sum(dim=1) for part in shown], dim=1) / counts.clamp(min=1)
        return by_category.sum(dim=1) / (counts > 0).sum(dim=1).clamp(min=1)

    def _open(self, covered: Tensor) -> Tensor:
        parts = torch.split(covered, [scale - 1 for scale in self.scales], dim=1)
        return torch.cat([(part[:, :1] & ~part[:, -1:]).expand_as(part) for part in parts], dim=1)

    def _binary(self, logits: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        yes, no = nn.functional.logsigmoid(logits), nn.functional.logsigmoid(-logits)
        if self.focal_gamma:
            yes, no = yes * no.exp() ** self.focal_gamma, no * yes.exp() ** self.focal_gamma
        return -(self.positive_weights * positive * yes + negative * no)

    def _before(self, targets: Tensor) -> Tensor:
        parts = torch.split(targets, [scale - 1 for scale in self.scales], dim=1)
        return torch.cat([torch.cat([torch.ones_like(part[:, :1]), part[:, :-1]], dim=1) for part in parts], dim=1)

    def _by_level(self, scores: Tensor, targets: Tensor) -> Tensor:
        """Return the cross-entropy of each category, spread over its columns."""
        widths = [scale - 1 for scale in self.scales]
        terms = []
        groups = zip(
            torch.split(scores, list(self.scales), dim=1),
            torch.split(targets, widths, dim=1),
            torch.split(self.positive_weights, widths),
            strict=True,
        )
        for levels, above, weights in groups:
            edge = torch.ones_like(above[:, :1])
            shares = torch.cat([edge, above], dim=1) - torch.cat([above, torch.zeros_like(edge)], dim=1)
            log_p = levels.log_softmax(dim=1)
            factor = (1 - log_p.exp()) ** self.focal_gamma if self.focal_gamma else torch.ones_like(log_p)
            weighted = torch.cat([torch.ones_like(weights[:1]), weights]) * shares * factor * log_p
            terms.append(-weighted.sum(dim=1, keepdim=True).expand_as(above))
        return torch.cat(terms, dim=1)


def consistency_loss(logits: Tensor, twins: Tensor) -> Tensor:
    """Return how far register twins are apart: the mean over pairs and columns of a symmetrised divergence.

    Of Bernoulli p and q: (KL(p||q) + KL(q||p)) / 2 = (p - q)(logit p - logit q) / 2. Neighbours within a group are the
    pairs. 0 where the batch has none.

    Args:
        logits: Shape (batch, columns).
        twins: Group of each item, shape (batch,); -1 for an item without twins.
    """
    order = torch.argsort(twins, stable=True)
    groups, ordered = twins[order], logits[order]
    same = (groups[1:] == groups[:-1]) & (groups[1:] >= 0)
    if not bool(same.any()):
        return logits.sum() * 0.0
    first, second = ordered[1:][same], ordered[:-1][same]
    return ((first.sigmoid() - second.sigmoid()) * (first - second)).mean() / 2
