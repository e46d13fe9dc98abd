from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelguard.local_models.halving import HalvingBatches, is_out_of_memory

pytest.importorskip("torch", reason="local models need torch and transformers: pip install 'babelguard[judges]'")


@settings(deadline=None)  # the first example imports torch
@given(
    costs=st.lists(st.integers(1, 50), max_size=40),
    room=st.integers(1, 60),
    most_elements=st.integers(1, 9),
    most_cost=st.integers(1, 200),
)
def test_every_element_has_its_result_in_order(costs: list[int], room: int, most_elements: int, most_cost: int) -> None:
    sizes = []

    def work(batch: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
        if sum(cost for _, cost in batch) > room:
            raise MemoryError
        sizes.append(len(batch))
        return [(number, "done") for number, _ in batch]

    batches = HalvingBatches(
        work=work,
        cost=lambda element: element[1],
        most_elements=most_elements,
        most_cost=most_cost,
        failed=lambda element: (element[0], "does not fit"),
    )
    with patch("babelguard.local_models.halving._give_back_memory"):  # collecting garbage takes long beside torch
        results = list(batches.run(list(enumerate(costs))))
    assert results == [(number, "done" if cost <= room else "does not fit") for number, cost in enumerate(costs)]
    assert all(size <= most_elements for size in sizes)


def test_what_counts_as_memory() -> None:
    assert is_out_of_memory(MemoryError())
    assert is_out_of_memory(RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)"))
    assert not is_out_of_memory(RuntimeError("index out of range"))
