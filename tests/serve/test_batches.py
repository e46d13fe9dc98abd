"""Batches hold every window once and keep to their budget."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from serve.batches import pad, plan_batches

LENGTHS = st.lists(st.integers(1, 600), max_size=60)


@given(LENGTHS, st.integers(1, 2000))
@settings(deadline=None)
def test_every_window_is_in_one_batch_that_keeps_to_the_budget(lengths: list[int], budget: int) -> None:
    batches = [batch.tolist() for batch in plan_batches(lengths, budget)]
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[place] for place in batch)
        assert len(batch) == 1 or len(batch) * longest <= budget


def test_by_hand() -> None:
    assert [batch.tolist() for batch in plan_batches([2, 9, 3, 3], budget=9)] == [[1], [2, 3, 0]]


def test_padding() -> None:
    ids, mask = pad([np.array([5, 6, 7]), np.array([8])], padding=1)
    assert ids.tolist() == [[5, 6, 7], [8, 1, 1]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0]]
