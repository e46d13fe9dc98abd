from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from train.calibrating.kappa_search import levels_at
from train.calibrating.share_matching import share_thresholds, threshold_for


def test_thresholds_lie_half_way() -> None:
    scores = np.array([0.2, 0.8, 0.6])
    assert threshold_for(scores, 0) == pytest.approx(0.9)
    assert threshold_for(scores, 1) == pytest.approx(0.7)
    assert threshold_for(scores, 3) == pytest.approx(0.1)
    assert threshold_for(scores, 7) == pytest.approx(0.1)


@given(seed=st.integers(0, 10_000), n=st.integers(3, 80))
def test_without_shrinkage_as_many_are_above_a_level_as_people_put_there(seed: int, n: int) -> None:
    generator = np.random.default_rng(seed)
    probabilities = np.minimum.accumulate(generator.random((n, 2)), axis=1)
    # Running minima can be equal between columns, not within one.
    levels = generator.integers(1, 4, n)
    found = share_thresholds(probabilities, levels, np.array([0.5, 0.5]), k=0.0)
    ours = levels_at(probabilities, found)
    assert [(ours > above).sum() for above in (1, 2)] == [(levels > above).sum() for above in (1, 2)]


def test_much_shrinkage_gives_the_shares_of_the_pooled_thresholds() -> None:
    generator = np.random.default_rng(5)
    probabilities = np.minimum.accumulate(generator.random((50, 2)), axis=1)
    pooled = np.array([0.4, 0.3])
    found = share_thresholds(probabilities, np.full(50, 3), pooled, k=1e9)
    assert (levels_at(probabilities, found) == levels_at(probabilities, pooled)).all()


def test_shrinkage_is_a_weighted_mean_of_shares() -> None:
    probabilities = np.linspace(0.05, 0.95, 10)[:, None]
    # People: 2 of 10; the pooled threshold: 6 of 10; with k = 10: (2 + 6) / 20 = 4 of 10.
    found = share_thresholds(probabilities, np.array([1] * 8 + [2] * 2), np.array([0.4]), k=10)
    assert (probabilities >= found).sum() == 4


def test_no_items_keep_the_pooled_thresholds() -> None:
    found = share_thresholds(np.empty((0, 2)), np.empty(0, dtype=np.int64), np.array([0.3, 0.2]), k=0)
    assert found == pytest.approx([0.3, 0.2])
