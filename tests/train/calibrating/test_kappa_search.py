from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from train.calibrating.kappa_search import best_thresholds, levels_at


def kappa(levels: np.ndarray, truth: np.ndarray, scale: int) -> float:
    return float(cohen_kappa_score(truth, levels, labels=range(1, scale + 1), weights="linear"))


def drawn(seed: int, n: int, scale: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    truth = generator.integers(1, scale + 1, n)
    truth[:scale] = np.arange(1, scale + 1)
    probabilities = 1 / (1 + np.exp(-(truth[:, None] - np.arange(1, scale) + generator.normal(0, 1.5, (n, scale - 1)))))
    return np.minimum.accumulate(probabilities, axis=1), truth


def test_levels_count_leading_columns() -> None:
    probabilities = np.array([[0.9, 0.8, 0.1], [0.2, 0.2, 0.2], [0.9, 0.1, 0.1]])
    assert levels_at(probabilities, np.array([0.5, 0.5, 0.15])).tolist() == [3, 1, 2]


@pytest.mark.parametrize("seed", range(5))
def test_with_one_column_and_all_candidates_it_is_the_best_there_is(seed: int) -> None:
    probabilities, truth = drawn(seed, 40, 2)
    found = best_thresholds(probabilities, truth, np.array([0.5]), candidates=100)
    every = [kappa(levels_at(probabilities, np.array([t])), truth, 2) for t in np.linspace(0.001, 0.999, 999)]
    assert kappa(levels_at(probabilities, found), truth, 2) >= max(every) - 1e-9


@given(seed=st.integers(0, 10_000), n=st.integers(5, 60), scale=st.sampled_from([2, 3, 5]))
@settings(max_examples=40, deadline=None)
def test_it_never_gets_worse_than_its_start(seed: int, n: int, scale: int) -> None:
    probabilities, truth = drawn(seed, n, scale)
    start = np.full(scale - 1, 0.5)
    found = best_thresholds(probabilities, truth, start, candidates=20)
    before, after = (kappa(levels_at(probabilities, t), truth, scale) for t in (start, found))
    assert after >= before - 1e-9


def test_rare_levels_are_reached() -> None:
    # All probabilities are below one half, as a rare harm's are; at 0.5 kappa is 0.
    truth = np.array([1] * 95 + [2] * 5)
    probabilities = np.concatenate([np.linspace(0.01, 0.2, 95), np.linspace(0.21, 0.3, 5)])[:, None]
    found = best_thresholds(probabilities, truth, np.array([0.5]), candidates=40)
    assert kappa(levels_at(probabilities, found), truth, 2) == pytest.approx(1)
