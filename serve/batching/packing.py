"""How the windows of a batch are split into runs of like length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

CPU_RUN_TOKENS = 16
GPU_RUN_TOKENS = 4096
"""What starting one more run costs, in tokens that could be computed instead; a padding token costs one."""


def pack(lengths: Sequence[int], run_tokens: int = CPU_RUN_TOKENS) -> list[list[int]]:
    """Split windows into runs so that padding and starts cost least together.

    A run computes its longest window's tokens for each of its windows. Runs of neighbours in order of length are
    optimal, and windows of one length belong together, so that the least cost over all lengths follows from the least
    costs over the shorter ones.

    Args:
        lengths: Tokens of each window.
        run_tokens: Cost of a run beside its tokens.

    Returns:
        Positions of the windows of each run, shortest first.
    """
    values = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(values, kind="stable")
    distinct, counts = np.unique(values, return_counts=True)
    ends = np.concatenate([[0], np.cumsum(counts)])  # windows that are no longer than each length
    least = np.zeros(len(ends), dtype=np.int64)
    begins = np.zeros(len(ends), dtype=np.int64)
    for end in range(1, len(ends)):
        costs = least[:end] + (ends[end] - ends[:end]) * distinct[end - 1]
        begins[end] = costs.argmin()
        least[end] = costs[begins[end]] + run_tokens
    runs: list[list[int]] = []
    end = len(ends) - 1
    while end:
        runs.append(order[ends[begins[end]] : ends[end]].tolist())
        end = int(begins[end])
    return runs[::-1]
