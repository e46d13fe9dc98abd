from __future__ import annotations

import pytest
from statsmodels.stats.proportion import proportion_confint

from train.calibrating.enough import exact_interval, expected_width, items_needed


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (1, 100), (3, 300), (10, 10), (47, 95)])
def test_the_interval_is_that_of_clopper_and_pearson(hits: int, n: int) -> None:
    assert exact_interval(hits, n) == pytest.approx(proportion_confint(hits, n, method="beta"))


def test_a_share_of_none_is_refused() -> None:
    with pytest.raises(ValueError, match="not a share"):
        exact_interval(3, 2)


@pytest.mark.parametrize(("share", "width"), [(0.5, 0.25), (0.01, 0.06), (0.01, 0.02)])
def test_enough_items_are_enough_and_one_fewer_is_not(share: float, width: float) -> None:
    n = items_needed(share, width)
    assert expected_width(share, n) <= width
    hits = int(share * (n - 1))
    widths = [proportion_confint(k, n - 1, method="beta") for k in (hits, hits + 1)]
    assert max(high - low for low, high in widths) > width


def test_nothing_tells_nothing() -> None:
    assert expected_width(0.5, 0) == 1
