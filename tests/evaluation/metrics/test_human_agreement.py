from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation import metrics as m

rating = st.one_of(st.none(), st.integers(1, 5))
tables = st.integers(1, 6).flatmap(
    lambda raters: st.lists(st.lists(rating, min_size=raters, max_size=raters), min_size=1, max_size=20)
)


def slow_consensus(ratings: list[int | None], half: str) -> int:
    given_levels = [level for level in ratings if level is not None]
    if not given_levels:
        return m.MISSING
    ranked = Counter(given_levels).most_common()
    if len(ranked) == 1 or ranked[0][1] > ranked[1][1]:
        return ranked[0][0]
    whole, rest = divmod(sum(given_levels), len(given_levels))
    if 2 * rest == len(given_levels):
        return whole + 1 if half == "up" or whole % 2 else whole
    return whole + (2 * rest > len(given_levels))


@given(tables, st.sampled_from(["even", "up"]))
def test_consensus_equals_a_slow_one(items: list[list[int | None]], half: str):
    expected = [slow_consensus(ratings, half) for ratings in items]
    assert m.consensus(list(zip(*items, strict=True)), levels=5, half=half).tolist() == expected


@pytest.mark.parametrize(
    ("ratings", "level"),
    [
        ((2, 2, 5), 2),
        ((1, 2, 4), 2),  # mean 2.33
        ((1, 4, 5), 3),  # mean 3.33
        ((1, 2, 3), 2),
        ((1, 2, None), 2),  # 1.5 to even
        ((2, 3, None), 2),  # 2.5 to even
        ((None, 3, None), 3),
        ((None, None, None), m.MISSING),
    ],
)
def test_consensus_of_three(ratings: tuple[int | None, ...], level: int):
    assert m.consensus([[one] for one in ratings], levels=5).tolist() == [level]


def test_consensus_of_more():
    assert m.consensus([[1], [1], [3], [4], [5]], levels=5).tolist() == [1]  # a plurality
    assert m.consensus([[1], [1], [4], [4]], levels=5).tolist() == [2]  # two modes: mean 2.5, to even
    with pytest.raises(ValueError, match="'even' or 'up'"):
        m.consensus([[1], [2]], levels=3, half="down")


HUMANS = [[1, 2, 3, 1, None], [1, 2, 2, 3, 2], [1, 3, 3, 2, 2]]


def test_every_pair_of_humans_and_their_mean():
    result = m.human_pairs(HUMANS, "linear_kappa", levels=3)
    assert result.who == ((0, 1), (0, 2), (1, 2))
    assert result.n.tolist() == [4, 4, 5]
    expected = [m.cohen_kappa(HUMANS[j], HUMANS[i], levels=3, weights="linear") for i, j in result.who]
    assert result.values.tolist() == expected
    assert result.mean == pytest.approx(np.mean(expected))


def test_an_undefined_pair():
    humans = [[1, 1], [1, 1], [1, 2]]
    assert np.isnan(m.human_pairs(humans, "kappa", levels=3).mean)
    assert m.human_pairs(humans, "kappa", levels=3, undefined="skip").mean == 0
    with pytest.raises(ValueError, match="two or more humans, not of 1"):
        m.human_pairs([[1]], "kappa", levels=3)


def test_each_human_is_left_out_in_turn():
    references = m.leave_one_out_references(HUMANS, levels=3)
    assert references.tolist() == [[1, 3, 3, 3, 2], [1, 3, 3, 2, 2], [1, 2, 3, 2, 2]]
    even = m.leave_one_out_references(HUMANS, levels=3, half="even")
    assert even.tolist() == [[1, 2, 2, 2, 2], [1, 2, 3, 2, 2], [1, 2, 2, 2, 2]]
    result = m.leave_one_out(HUMANS, "percentage_agreement", levels=3)
    assert result.who == ((0,), (1,), (2,))
    assert result.n.tolist() == [4, 5, 5]
    assert result.values.tolist() == [0.5, 0.4, 0.8]
    assert result.mean == pytest.approx(1.7 / 3)
    with pytest.raises(ValueError, match="two or more humans"):
        m.leave_one_out([[1]], "kappa", levels=3)
