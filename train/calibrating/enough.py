"""How many items are enough to tell: a rule by the width of an exact interval."""

from __future__ import annotations

from typing import Final

CONFIDENCE: Final = 0.95


def exact_interval(hits: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the interval of a share (Clopper and Pearson 1934), from 0 to 1.

    The bounds are quantiles of beta distributions: B(a/2; hits, n - hits + 1) and B(1 - a/2; hits + 1, n - hits),
    a = 1 - confidence.

    Raises:
        ValueError: `hits` is not from 0 to `n`, or `n` is not positive.
    """
    from scipy.stats import beta

    if not 0 <= hits <= n or n < 1:
        raise ValueError(f"{hits} of {n} is not a share")
    tail = (1 - confidence) / 2
    low = float(beta.ppf(tail, hits, n - hits + 1)) if hits else 0.0
    high = float(beta.ppf(1 - tail, hits + 1, n - hits)) if hits < n else 1.0
    return low, high


def expected_width(share: float, n: int) -> float:
    """Return how wide the interval of a share would be if `n` items showed that share, rounded to whole items."""
    if n < 1:
        return 1.0
    low, high = exact_interval(round(share * n), n)
    return high - low


def items_needed(share: float, width: float) -> int:
    """Return the fewest items whose interval is at most `width` wide, there and for all larger numbers nearby.

    Args:
        share: The share that the items would show, 0 to 1.
        width: The widest interval that tells enough, 0 to 1.
    """
    low, high = 1, 2
    while _widest_near(share, high) > width:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _widest_near(share, middle) <= width else (middle, high)
    return high


def _widest_near(share: float, n: int) -> float:
    """The width saws, as hits are whole: take the wider of the two neighbouring numbers of hits."""
    hits = share * n
    found = [exact_interval(min(n, count), n) for count in {int(hits), int(hits) + 1}]
    return max(high - low for low, high in found)
