from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

from train.calibrating.reliability import brier_score, expected_calibration_error, reliability_bins


def test_the_calibration_error_by_hand() -> None:
    # Two bins of [0, 0.5] and (0.5, 1]: means 0.2 and 0.8, shares 1/2 and 1: (2 * 0.3 + 2 * 0.2) / 4.
    p = np.array([0.1, 0.3, 0.7, 0.9])
    y = np.array([0.0, 1.0, 1.0, 1.0])
    assert expected_calibration_error(p, y, bins=2) == pytest.approx(0.25)


def test_edges_belong_to_the_lower_bin_and_zero_to_the_first() -> None:
    bins = reliability_bins(np.array([0.0, 0.5, 0.51, 1.0]), np.array([0.0, 1.0, 0.0, 1.0]), 2)
    assert bins.counts.tolist() == [2, 2]


def test_items_that_people_did_not_rate_do_not_count() -> None:
    p, y = np.array([0.2, 0.9]), np.array([0.0, np.nan])
    assert expected_calibration_error(p, y, 10) == pytest.approx(0.2)
    assert brier_score(p, y) == pytest.approx(0.04)
    assert np.isnan(brier_score(p, np.array([np.nan, np.nan])))
    assert np.isnan(expected_calibration_error(p, np.array([np.nan, np.nan])))


def test_the_brier_score_is_scikit_learns() -> None:
    generator = np.random.default_rng(0)
    p, y = generator.random(200), (generator.random(200) < 0.3).astype(float)
    assert brier_score(p, y) == pytest.approx(brier_score_loss(y, p))


def test_probabilities_that_are_shares_have_no_error() -> None:
    p = np.repeat([0.25, 0.75], 400)
    y = np.concatenate([np.arange(400) % 4 == 0, np.arange(400) % 4 != 0]).astype(float)
    assert expected_calibration_error(p, y) == pytest.approx(0)
