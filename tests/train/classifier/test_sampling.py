"""Draws and batches: what is drawn how often, and that nothing is lost."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from train.classifier.options import BatchRecipe
from train.classifier.planned_batches import PlannedBatches
from train.classifier.sampling import plan_draws, sampling_weights


@given(
    st.lists(st.integers(1, 200), min_size=1, max_size=150),
    st.integers(1, 16),
    st.one_of(st.none(), st.integers(8, 400)),
    st.booleans(),
    st.sampled_from([1.0, 2.0, 0.5, 2.5]),
)
def test_every_draw_is_in_one_batch_and_limits_are_kept(
    lengths: list[int], items: int, tokens: int | None, grouped: bool, passes: float
) -> None:
    recipe = BatchRecipe(items=items, tokens=tokens, group_by_length=grouped)
    sizes = np.array(lengths)
    plan = plan_draws(np.ones(len(sizes)), sizes, recipe, passes=passes, seed=3)
    drawn = [draw for batch in plan.batches for draw in batch]
    assert sorted(drawn) == list(range(len(plan.items)))
    assert len(plan.items) == max(1, round(passes * len(sizes)))
    for batch in plan.batches:
        assert len(batch) <= items
        if tokens is not None and len(batch) > 1:
            assert len(batch) * sizes[plan.items[batch]].max() <= tokens
    counts = np.bincount(plan.items, minlength=len(sizes))
    assert counts.max() - counts.min() <= 1


def test_the_seed_alone_decides() -> None:
    sizes = np.arange(1, 60)
    plans = [plan_draws(np.ones(59), sizes, BatchRecipe(items=4), passes=1.5, seed=s) for s in (1, 1, 2)]
    assert plans[0].batches == plans[1].batches
    assert (plans[0].items == plans[1].items).all()
    assert (plans[0].items != plans[2].items).any()


def test_full_balance_gives_groups_the_same_share() -> None:
    groups = ["a"] * 90 + ["b"] * 10
    weights = sampling_weights([(groups, 1.0)], most_often=100)
    np.testing.assert_allclose(weights[[0, -1]], [50 / 90, 5.0])
    # Half the exponent: shares in the ratio of the square roots of the counts.
    weights = sampling_weights([(groups, 0.5)], most_often=100)
    assert (weights[-1] / weights[0]) == np.sqrt(9)


def test_no_item_is_drawn_more_often_than_the_cap() -> None:
    weights = sampling_weights([(["a"] * 99 + ["b"], 1.0)], most_often=4)
    assert weights.max() == 4
    np.testing.assert_allclose(weights.mean(), 1)


def test_systematic_draws_keep_to_the_expected_numbers() -> None:
    weights = sampling_weights([(["a"] * 90 + ["b"] * 10, 1.0)], most_often=100)
    plan = plan_draws(weights, np.ones(100, dtype=np.int64), BatchRecipe(), passes=1, seed=0)
    counts = np.bincount(plan.items, minlength=100)
    assert set(counts[90:]) == {5}
    assert set(counts[:90]) <= {0, 1}


def test_twins_share_a_batch() -> None:
    partners = [[1], [0], []]
    plan = plan_draws(np.ones(3), np.array([5, 6, 7]), BatchRecipe(items=2), passes=1, seed=0, partners=partners)
    batches = [sorted(plan.items[batch].tolist()) for batch in plan.batches]
    assert sorted(batches) == [[0, 1], [0, 1], [2]]


@given(st.integers(1, 40), st.integers(1, 4), st.integers(1, 3))
def test_processes_get_as_many_batches_each(count: int, processes: int, accumulation: int) -> None:
    batches = [[n] for n in range(count)]
    shares = [list(PlannedBatches(batches, processes, rank, accumulation)) for rank in range(processes)]
    assert len({len(share) for share in shares}) == 1
    assert len(shares[0]) % accumulation == 0
    assert {n for share in shares for (n,) in share} == set(range(count))
