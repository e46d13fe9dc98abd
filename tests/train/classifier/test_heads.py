"""Heads: exceedance logits against the definitions, and the prior that they start at."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from train.classifier.heads import GuardHead
from train.classifier.losses import GuardLoss, consistency_loss

SCALES = (5, 3)
KINDS = ("cumulative", "corn", "multi-label", "softmax")


def head(kind: str) -> GuardHead:
    torch.manual_seed(0)
    made = GuardHead(kind, 8, SCALES, dropout=0.0, normalise=True)  # type: ignore[arg-type]
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter)
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_logits_have_one_column_a_level_but_the_lowest(kind: str) -> None:
    scores, logits = head(kind)(torch.randn(7, 8))
    assert logits.shape == (7, 4 + 2)
    assert scores.shape == (7, {"cumulative": 2, "softmax": 8}.get(kind, 6)) or kind == "cumulative"


@pytest.mark.parametrize("kind", ["cumulative", "corn", "softmax"])
def test_ordinal_heads_never_give_a_higher_level_more_probability(kind: str) -> None:
    _, logits = head(kind)(3 * torch.randn(50, 8))
    for part in (logits[:, :4], logits[:, 4:]):
        assert (part[:, 1:] <= part[:, :-1] + 1e-5).all()


def test_corn_is_the_product_of_the_conditionals() -> None:
    made = GuardHead("corn", 8, (4,), dropout=0.0, normalise=True)
    conditionals = torch.tensor([[0.3, -0.7, 1.1]])
    expected = np.cumprod(1 / (1 + np.exp(-conditionals.numpy()[0])))
    np.testing.assert_allclose(made.exceedance(conditionals).sigmoid()[0].numpy(), expected, rtol=1e-5)


def test_softmax_sums_the_levels_above() -> None:
    made = GuardHead("softmax", 8, (3,), dropout=0.0, normalise=True)
    levels = torch.tensor([[0.2, 1.0, -0.5]])
    p = np.exp([0.2, 1.0, -0.5]) / np.exp([0.2, 1.0, -0.5]).sum()
    np.testing.assert_allclose(made.exceedance(levels).sigmoid()[0].numpy(), [p[1] + p[2], p[2]], rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_an_untrained_head_gives_the_prior(kind: str) -> None:
    made = GuardHead(kind, 8, SCALES, dropout=0.0, normalise=True)  # type: ignore[arg-type]
    made.start_at([[0.6, 0.4, 0.2, 0.1], None])
    _, logits = made(torch.randn(3, 8))
    np.testing.assert_allclose(logits.sigmoid()[0, :4].detach().numpy(), [0.6, 0.4, 0.2, 0.1], atol=2e-3)
    assert (logits[:, 4:] < -5).all()


def test_a_prior_without_a_level_is_finite() -> None:
    for kind in KINDS:
        made = GuardHead(kind, 8, SCALES, dropout=0.0, normalise=True)  # type: ignore[arg-type]
        made.start_at([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0]])
        assert torch.isfinite(made(torch.randn(2, 8))[1]).all()


def loss(kind: str, weights: list[float] | None = None, gamma: float = 0.0) -> GuardLoss:
    return GuardLoss(kind, (3,), weights or [1.0, 1.0], gamma)


def test_binary_losses_are_the_mean_cross_entropy_of_the_columns() -> None:
    logits = torch.tensor([[0.5, -1.0]])
    expected = (math.log1p(math.exp(-0.5)) + math.log1p(math.exp(-1.0))) / 2
    found = loss("multi-label")(logits, logits, torch.tensor([[1.0, 0.0]]))
    assert found.item() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_corn_and_softmax_losses_are_minus_log_likelihood(level: int) -> None:
    targets = torch.tensor([[float(level > 1), float(level > 2)]])
    levels = torch.tensor([[0.2, 1.0, -0.5]])
    found = loss("softmax")(levels, torch.zeros(1, 2), targets).item()
    assert found == pytest.approx(-levels.log_softmax(1)[0, level - 1].item(), rel=1e-6)
    scores = torch.tensor([[0.3, -0.7]])
    p = scores.sigmoid()[0].tolist()
    likelihood = {1: 1 - p[0], 2: p[0] * (1 - p[1]), 3: p[0] * p[1]}[level]
    # Of a scale of three there are two columns, over which the loss is a mean.
    assert loss("corn")(scores, torch.zeros(1, 2), targets).item() == pytest.approx(-math.log(likelihood) / 2, rel=1e-6)


def test_soft_labels_are_the_mean_of_the_annotators_losses() -> None:
    for kind, width in (("multi-label", 2), ("corn", 2), ("softmax", 3)):
        scores = torch.randn(1, width)
        logits = scores[:, :2]
        hard = [loss(kind)(scores, logits, torch.tensor([t])) for t in ([0.0, 0.0], [1.0, 0.0], [1.0, 1.0])]
        soft = loss(kind)(scores, logits, torch.tensor([[2 / 3, 1 / 3]]))
        assert soft.item() == pytest.approx(sum(h.item() for h in hard) / 3, rel=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_covered_gives_no_loss_and_no_gradient(kind: str) -> None:
    made = head(kind)
    pooled = torch.randn(2, 8, requires_grad=True)
    scores, logits = made(pooled)
    targets = torch.full((2, 6), float("nan"))
    targets[1, 4:] = torch.tensor([1.0, 0.0])
    measured = GuardLoss(kind, SCALES, [1.0] * 6, 2.0)(scores, logits, targets)
    assert measured[0].item() == 0
    measured.sum().backward()
    assert pooled.grad is not None
    assert (pooled.grad[0] == 0).all()
    assert torch.isfinite(pooled.grad).all()


@pytest.mark.parametrize("kind", KINDS)
def test_of_an_open_severity_only_the_first_column_counts(kind: str) -> None:
    made = GuardHead(kind, 8, (3,), dropout=0.0, normalise=True)  # type: ignore[arg-type]
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter)
    scores, logits = made(torch.randn(1, 8))
    found = loss(kind)(scores, logits, torch.tensor([[1.0, float("nan")]]))
    first = scores[:, 0] if kind == "corn" else logits[:, 0]
    assert found.item() == pytest.approx(-torch.nn.functional.logsigmoid(first).item(), rel=1e-5)


def test_weights_and_focus_scale_the_terms() -> None:
    logits, targets = torch.tensor([[0.5, -1.0]]), torch.tensor([[1.0, 0.0]])
    yes, no = math.log1p(math.exp(-0.5)), math.log1p(math.exp(-1.0))
    assert loss("multi-label", [3.0, 3.0])(logits, logits, targets).item() == pytest.approx(
        (3 * yes + no) / 2, rel=1e-6
    )
    p = 1 / (1 + math.exp(-0.5)), 1 / (1 + math.exp(-1.0))
    focal = ((1 - p[0]) ** 2 * yes + (1 - p[1]) ** 2 * no) / 2
    assert loss("multi-label", gamma=2.0)(logits, logits, targets).item() == pytest.approx(focal, rel=1e-5)


def test_consistency_is_the_symmetrised_divergence_of_pairs() -> None:
    logits = torch.tensor([[0.0], [2.0], [5.0], [1.0]])
    twins = torch.tensor([7, -1, -1, 7])
    p, q = 0.5, 1 / (1 + math.exp(-1))
    kl = [a * math.log(a / b) + (1 - a) * math.log((1 - a) / (1 - b)) for a, b in ((p, q), (q, p))]
    assert consistency_loss(logits, twins).item() == pytest.approx(sum(kl) / 2, rel=1e-5)
    assert consistency_loss(logits, torch.tensor([-1, -1, -1, 3])).item() == 0
