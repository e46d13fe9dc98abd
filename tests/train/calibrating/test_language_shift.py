from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from serve.bundle import IsotonicColumn, PlattColumn
from serve.calibration import calibrate_column
from train.calibrating.language_shift import calibrated_scores, language_log_slopes, language_shifts, log_odds, moved


def drawn() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    scores = generator.normal(0, 1.5, 300)
    groups = generator.integers(0, 3, 300)
    true = np.array([-1.0, 0.0, 1.0])[groups]
    return scores, (generator.random(300) < 1 / (1 + np.exp(-scores - true))).astype(float), groups


def posterior(scores: np.ndarray, exceeded: np.ndarray, deviation: float, multiply: bool) -> float:
    def loss(amount: float) -> float:
        moved_scores = scores * np.exp(amount) if multiply else scores + amount
        likelihood = np.sum(np.logaddexp(0, moved_scores) - exceeded * moved_scores)
        return float(likelihood + amount**2 / (2 * deviation**2))

    return float(minimize_scalar(loss, bounds=(-5, 5), method="bounded", options={"xatol": 1e-10}).x)


@pytest.mark.parametrize("deviation", [0.1, 0.5, 2.0])
def test_shifts_are_posterior_modes(deviation: float) -> None:
    scores, exceeded, groups = drawn()
    found = language_shifts(scores, exceeded, groups, 4, deviation)
    for group in range(3):
        rows = groups == group
        assert found[group] == pytest.approx(posterior(scores[rows], exceeded[rows], deviation, False), abs=1e-5)
    assert found[3] == 0


def test_log_slopes_are_posterior_modes() -> None:
    scores, exceeded, groups = drawn()
    found = language_log_slopes(scores, exceeded, groups, 3, 0.5)
    for group in range(3):
        rows = groups == group
        assert found[group] == pytest.approx(posterior(scores[rows], exceeded[rows], 0.5, True), abs=1e-4)


def test_few_items_stay_near_the_pooled_fit() -> None:
    few = language_shifts(np.zeros(2), np.ones(2), np.zeros(2, dtype=np.int64), 1, 0.5)
    many = language_shifts(np.zeros(200), np.ones(200), np.zeros(200, dtype=np.int64), 1, 0.5)
    assert 0 < few[0] < 0.3 < many[0]


@pytest.mark.parametrize(
    "column", [PlattColumn(slope=0.7, intercept=-0.2), IsotonicColumn(x=(-2.0, 0.0, 2.0), y=(0.1, 0.4, 0.9))]
)
def test_a_moved_calibration_shifts_the_log_odds(column: PlattColumn | IsotonicColumn) -> None:
    points = np.array([-2.0, 0.0, 2.0])
    shifted = moved(column, 0.75, multiply=False)
    expected = calibrated_scores(column, points) + 0.75
    assert log_odds(calibrate_column(points, shifted)) == pytest.approx(expected)


def test_a_moved_temperature_changes_the_slope_alone() -> None:
    found = moved(PlattColumn(slope=2.0), np.log(1.5), multiply=True)
    assert isinstance(found, PlattColumn)
    assert (found.slope, found.intercept) == (pytest.approx(3.0), 0.0)
