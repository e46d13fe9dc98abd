"""Windows in batches of like length that fill a budget of tokens, padding included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Batch = NDArray[np.intp]
"""Positions of the windows that are run together."""


def plan_batches(lengths: Sequence[int], budget: int) -> Iterator[Batch]:
    """Yield batches of windows, the longest first, each window in exactly one.

    The longest come first so that the memory that a run needs is known at once.

    Args:
        lengths: Tokens of each window.
        budget: Windows times the longest one's tokens, at most; a longer window is a batch by itself.
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    start = 0
    while start < len(order):
        rows = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + rows]
        start += rows


def pad(windows: Sequence[NDArray[np.int64]], padding: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return `input_ids` and `attention_mask`, [windows, longest], padded on the right."""
    longest = max(len(window) for window in windows)
    ids = np.full((len(windows), longest), padding, dtype=np.int64)
    mask = np.zeros((len(windows), longest), dtype=np.int64)
    for row, window in enumerate(windows):
        ids[row, : len(window)] = window
        mask[row, : len(window)] = 1
    return ids, mask
