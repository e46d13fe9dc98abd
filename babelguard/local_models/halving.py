"""Batches that halve when memory runs out, so that no element is lost."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Element = TypeVar("Element")
Result = TypeVar("Result")


@dataclass
class HalvingBatches(Generic[Element, Result]):
    """Works through elements in batches; a batch that does not fit is halved, and later ones stay that small.

    Attributes:
        work: Returns one result an element, in order.
        cost: The cost of an element, for example its tokens.
        most_elements: Elements in a batch, at most.
        most_cost: Sum of costs in a batch, at most; one element may cost more by itself.
        failed: Makes the result of an element that does not fit even alone.
    """

    work: Callable[[Sequence[Element]], Sequence[Result]]
    cost: Callable[[Element], int]
    most_elements: int
    most_cost: int
    failed: Callable[[Element], Result]

    def run(self, elements: Sequence[Element]) -> Iterator[Result]:
        """Yield one result an element, in order."""
        start = 0
        while start < len(elements):
            end = self._end_of_batch(elements, start)
            batch = elements[start:end]
            results = self._attempt(batch)
            if results is not None:
                yield from results
                start = end
            elif len(batch) == 1:
                yield self.failed(batch[0])
                start = end
            else:
                self.most_elements = len(batch) // 2
                self.most_cost = max(1, sum(map(self.cost, batch)) // 2)

    def _end_of_batch(self, elements: Sequence[Element], start: int) -> int:
        end, cost = start, 0
        while end < len(elements) and end - start < self.most_elements:
            cost += self.cost(elements[end])
            if end > start and cost > self.most_cost:
                break
            end += 1
        return end

    def _attempt(self, batch: Sequence[Element]) -> Sequence[Result] | None:
        try:
            return self.work(batch)
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
        # Outside the handler: the traceback would keep the batch's tensors alive.
        _give_back_memory()
        return None


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether an error means that memory, of a GPU or of the machine, ran out."""
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    # The CPU's allocator and other devices raise plain RuntimeErrors.
    said = str(error).lower()
    return any(words in said for words in ("out of memory", "can't allocate memory", "cannot allocate memory"))


def _give_back_memory() -> None:
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
