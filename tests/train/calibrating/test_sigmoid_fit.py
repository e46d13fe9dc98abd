from __future__ import annotations

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from serve.bundle import IsotonicColumn, PlattColumn
from serve.calibration import calibrate_column
from train.calibrating.sigmoid_fit import STEEPEST, fit_column, smoothed_targets


def drawn(n: int = 400, slope: float = 0.6, intercept: float = -0.8) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(3)
    logits = generator.normal(0, 2, n)
    return logits, (generator.random(n) < 1 / (1 + np.exp(-(slope * logits + intercept)))).astype(float)


def by_scikit_learn(logits: np.ndarray, exceeded: np.ndarray, *, intercept: bool) -> tuple[float, float]:
    """Fit to soft targets: each item once as a positive and once as a negative, weighted."""
    targets = smoothed_targets(exceeded)
    x = np.concatenate([logits, logits])[:, None]
    y = np.repeat([1, 0], len(logits))
    fitted = LogisticRegression(C=1e8, fit_intercept=intercept, tol=1e-9, max_iter=1000)
    fitted.fit(x, y, sample_weight=np.concatenate([targets, 1 - targets]))
    return float(fitted.coef_[0, 0]), float(np.ravel(fitted.intercept_)[0])


def test_platts_targets() -> None:
    assert smoothed_targets(np.array([1.0, 1.0, 0.0])) == pytest.approx([3 / 4, 3 / 4, 1 / 3])


def test_platt_is_a_logistic_regression_on_smoothed_targets() -> None:
    logits, exceeded = drawn()
    column = fit_column("platt", logits, exceeded)
    assert isinstance(column, PlattColumn)
    assert (column.slope, column.intercept) == pytest.approx(
        by_scikit_learn(logits, exceeded, intercept=True), abs=1e-3
    )


def test_a_temperature_has_no_intercept() -> None:
    logits, exceeded = drawn()
    column = fit_column("temperature", logits, exceeded)
    assert isinstance(column, PlattColumn)
    assert column.intercept == 0
    assert column.slope == pytest.approx(by_scikit_learn(logits, exceeded, intercept=False)[0], abs=1e-3)


def test_isotonic_is_scikit_learns() -> None:
    logits, exceeded = drawn()
    column = fit_column("isotonic", logits, exceeded)
    assert isinstance(column, IsotonicColumn)
    wanted = IsotonicRegression(out_of_bounds="clip").fit(logits, smoothed_targets(exceeded))
    points = np.linspace(-8, 8, 301)
    assert calibrate_column(points, column) == pytest.approx(wanted.predict(points), abs=1e-6)
    assert 0 < min(column.y) <= max(column.y) < 1


def test_perfect_separation_stays_finite() -> None:
    column = fit_column("platt", np.array([-1.0, -0.9, 0.9, 1.0]), np.array([0.0, 0.0, 1.0, 1.0]))
    assert isinstance(column, PlattColumn)
    assert 0 < column.slope <= STEEPEST


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_a_column_without_positives_keeps_its_order_and_is_never_certain(method: str) -> None:
    logits = np.linspace(-3, 3, 50)
    column = fit_column(method, logits, np.zeros(50))  # type: ignore[arg-type]
    probabilities = calibrate_column(logits, column)
    assert probabilities.mean() == pytest.approx(1 / 52, rel=1e-3)
    assert (np.diff(probabilities) > 0).all()


def test_nothing_to_fit_is_the_plain_sigmoid() -> None:
    assert fit_column("platt", np.array([]), np.array([])) == PlattColumn(slope=1.0, intercept=0.0)
