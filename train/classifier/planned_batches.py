"""The planned batches of a training, handed to several processes in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class PlannedBatches:
    """Batches for one process: every `processes`-th one. It serves as a `batch_sampler`.

    Each process gets the same number of batches, a multiple of `accumulation`; for that the first ones are repeated at
    the end.

    Args:
        batches: Draws of each batch, in order.
        processes: Number of processes.
        rank: This one, from 0.
        accumulation: Batches to one optimiser step.
    """

    def __init__(self, batches: Sequence[list[int]], processes: int = 1, rank: int = 0, accumulation: int = 1) -> None:
        together = processes * accumulation
        whole = -(-len(batches) // together) * together
        self.batches = [batches[place % len(batches)] for place in range(rank, whole, processes)]

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.batches)

    def __len__(self) -> int:
        return len(self.batches)
