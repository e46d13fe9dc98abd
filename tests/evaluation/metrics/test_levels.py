from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation import metrics as m

maybe_levels = st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=1, max_size=30)


def test_every_kind_of_missing_becomes_the_sentinel():
    expected = [1, m.MISSING, 3]
    given_as = [
        [1, None, 3],
        [1, float("nan"), 3],
        np.array([1.0, np.nan, 3.0], dtype=np.float32),
        np.ma.array([1, 99, 3], mask=[False, True, False]),
        pd.array([1, pd.NA, 3], dtype="Int64"),
        pd.Series([1, None, 3]),
        np.array([1, m.MISSING, 3], dtype=np.int8),
    ]
    for values in given_as:
        levels = m.as_levels(values, 3)
        assert levels.dtype == np.int64
        assert levels.tolist() == expected


@pytest.mark.parametrize("wrong", [0, -1, 4, 2.5, float("inf"), True, "2", np.bool_(True)])
def test_a_value_off_the_scale_is_an_error(wrong: object):
    with pytest.raises(ValueError, match="level"):
        m.as_levels([1, None, wrong], 3)


def test_the_error_names_the_value_and_its_position():
    with pytest.raises(ValueError, match=r"7 at position 2 .* 1 to 5, and a missing rating is None"):
        m.as_levels([1, None, 7], 5)


@pytest.mark.parametrize("wrong", [["1", "2"], np.array([True, False]), [[1, 2]]])
def test_what_is_not_a_list_of_levels_is_an_error(wrong: object):
    with pytest.raises(ValueError, match=r"Ratings are|the same items"):
        m.complete_pairs(wrong, [1, 2], levels=3)


def test_a_scale_has_two_or_more_levels():
    for levels in (1, 0, 2.0, True):
        with pytest.raises(ValueError, match="two or more levels"):
            m.as_levels([1], levels)


@given(maybe_levels)
def test_converting_twice_changes_nothing(values: list[int | None]):
    once = m.as_levels(values, 5)
    assert np.array_equal(m.as_levels(once, 5), once)


@given(st.lists(st.tuples(st.one_of(st.none(), st.integers(1, 5)), st.one_of(st.none(), st.integers(1, 5)))))
def test_complete_pairs_are_the_items_that_both_rated(items: list[tuple[int | None, int | None]]):
    kept = [(a, b) for a, b in items if a is not None and b is not None]
    ours, theirs = m.complete_pairs([a for a, _ in items], [b for _, b in items], levels=5)
    assert list(zip(ours.tolist(), theirs.tolist(), strict=True)) == kept
    assert m.n_pairs([a for a, _ in items], [b for _, b in items], levels=5) == len(kept)


def test_items_with_two_ratings_are_pairable():
    assert m.n_pairable([[1, None, 2, None], [1, 2, 3, None], [None, None, 1, None]], levels=3) == 2


def test_counts_and_distribution():
    assert m.class_counts([1, 1, None, 3], levels=3).tolist() == [2, 0, 1]
    assert m.class_distribution([1, 1, None, 3], levels=4).tolist() == [2 / 3, 0, 1 / 3, 0]
    assert np.isnan(m.class_distribution([None], levels=3)).all()


def test_rows_are_the_reference_and_columns_the_rater():
    assert m.confusion_matrix([3, 1, None], [2, 1, 1], levels=3).tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]


def test_pooling_adds_items():
    first, second = np.eye(3), np.ones((3, 3))
    assert np.array_equal(m.pooled_confusion([first, second]), first + second)
    for wrong in ([], [first, np.eye(4)]):
        with pytest.raises(ValueError, match="same shape"):
            m.pooled_confusion(wrong)


def test_a_matrix_that_is_not_square_is_an_error():
    with pytest.raises(ValueError, match="K, K"):
        m.cohen_kappa_from_confusion(np.ones((2, 3)))
