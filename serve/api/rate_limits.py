"""How much one caller may ask for in a minute."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_MOST_CALLERS = 10_000


@dataclass(slots=True)
class _Bucket:
    left: float
    filled: float


class RateLimit:
    """A bucket for each caller that holds a minute's allowance and fills steadily (token bucket, Turner, 1986).

    The callers that were not seen for longest are forgotten beyond ten thousand, so that made-up addresses cannot
    fill the memory. Used from the event loop alone.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, caller: str, amount: int) -> int:
        """Take from a caller's bucket.

        Args:
            caller: Who asks.
            amount: How much; more than a minute's allowance is let through when the bucket is full, and is paid off.

        Returns:
            0 if it is granted, else the seconds after which it will be.
        """
        now = self._clock()
        bucket = self._buckets.pop(caller, None) or _Bucket(float(self._per_minute), now)
        self._buckets[caller] = bucket
        if len(self._buckets) > _MOST_CALLERS:
            self._buckets.popitem(last=False)
        bucket.left = min(bucket.left + (now - bucket.filled) * self._per_minute / 60, float(self._per_minute))
        bucket.filled = now
        needed = min(amount, self._per_minute)
        if bucket.left < needed:
            return max(1, math.ceil((needed - bucket.left) * 60 / self._per_minute))
        bucket.left -= amount
        return 0
