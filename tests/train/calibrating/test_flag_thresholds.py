from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mean_pinball_loss

from train.calibrating.flag_thresholds import BenignTails, pinball_loss, upper_quantile


def test_the_quantile_by_hand() -> None:
    # n = 199 at 1%: floor(200 * 0.01) = 2, so the 198th smallest; one of 199 lies above it.
    values = np.arange(1.0, 200.0)
    assert upper_quantile(values, 0.01) == pytest.approx(198.5)


def test_too_few_items_put_the_quantile_beyond_the_highest() -> None:
    values = np.arange(50.0)
    assert upper_quantile(values, 0.01) > 49
    assert upper_quantile(values, 0.001) > upper_quantile(values, 0.01)


def test_a_further_item_exceeds_it_as_seldom_as_promised() -> None:
    generator = np.random.default_rng(0)
    rates = []
    for _ in range(400):
        drawn = generator.exponential(size=299)
        rates.append(np.exp(-upper_quantile(drawn, 0.02)))  # the true chance to exceed it
    assert np.mean(rates) < 0.02
    assert np.mean(rates) > 0.01


def test_the_quantile_loss_is_scikit_learns() -> None:
    values = np.random.default_rng(0).normal(size=100)
    expected = mean_pinball_loss(values, np.full(100, 0.7), alpha=0.99)
    assert pinball_loss(values, 0.7, 0.01).mean() == pytest.approx(expected)


@given(seed=st.integers(0, 1000), n=st.integers(210, 600), categories=st.integers(1, 8))
def test_the_union_over_categories_keeps_to_the_target(seed: int, n: int, categories: int) -> None:
    benign = np.random.default_rng(seed).beta(0.5, 6, (n, categories))
    tails = BenignTails.of(benign)
    thresholds = tails.thresholds(upper_quantile(tails.alarms(benign), 0.01))
    flagged = benign >= np.array(thresholds)
    assert flagged.any(axis=1).mean() <= 0.01


def test_the_target_is_split_evenly() -> None:
    benign = np.random.default_rng(2).beta(0.5, 6, (20_000, 4))
    benign[:, 3] = benign[:, 3] ** 3  # one category scores far lower than the others
    tails = BenignTails.of(benign)
    thresholds = tails.thresholds(upper_quantile(tails.alarms(benign), 0.04))
    shares = (benign >= np.array(thresholds)).mean(axis=0)
    assert shares == pytest.approx(np.full(4, 0.01), abs=0.002)


def test_alarms_and_thresholds_are_inverse() -> None:
    benign = np.random.default_rng(4).beta(1, 5, (300, 2))
    tails = BenignTails.of(benign)
    for alarm in (1.0, 3.0, 5.0, 7.5):
        first, second = tails.thresholds(alarm)
        assert tails.alarms(np.array([[first, 1e-9], [1e-9, second]])) == pytest.approx([alarm, alarm], rel=1e-6)


def test_higher_probabilities_never_alarm_less() -> None:
    tails = BenignTails.of(np.random.default_rng(4).beta(1, 5, (50, 1)))
    alarms = tails.alarms(np.linspace(0, 1, 500)[:, None])
    assert (np.diff(alarms) >= -1e-12).all()
