"""When to ask again: backoff with jitter, and the server's own Retry-After where it sends one."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pydantic import Field

from babelguard.recipe import RecipeModel


class TrafficRecipe(RecipeModel):
    """How a service is asked. None of this changes an answer."""

    concurrency: int = Field(8, ge=1, le=512, description="Requests under way at once")
    timeout_s: float = Field(60.0, gt=0, description="Seconds after which a request without a whole answer has failed")
    attempts: int = Field(6, ge=1, description="How often a request is made before its item is an error")
    first_wait_s: float = Field(1.0, ge=0, description="Seconds before the second attempt; doubled before each further")
    longest_wait_s: float = Field(
        60.0, ge=0, description="Longest wait; where the server asks for a longer one, the request has failed"
    )
    give_up_after: int = Field(
        20, ge=1, description="Items in a row without an answer after which the service is not asked again"
    )
    plain_http: bool = Field(False, description="Allow a key to travel unencrypted to another machine")


def retry_after_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return how many seconds a server asks to wait, or `None` where it does not say or says it unreadably.

    Understands ``Retry-After`` as seconds and as an HTTP date (RFC 9110, section 10.2.3), and ``retry-after-ms`` as
    Azure OpenAI sends it. A date in the past is 0.

    Args:
        headers: The answer's headers, by lower-case name.
        now: The current time.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())


def wait_s(traffic: TrafficRecipe, attempt: int, asked_s: float | None) -> float:
    """Return how long to wait before another attempt, in seconds.

    Args:
        traffic: The recipe's waits.
        attempt: How many attempts have failed, from 1.
        asked_s: What the server asked for; it is never undercut.
    """
    jitter = random.random()  # noqa: S311 - spreads requests, guards nothing
    if asked_s is not None:
        return asked_s + jitter * traffic.first_wait_s
    backoff = min(traffic.longest_wait_s, traffic.first_wait_s * 2.0 ** min(attempt - 1, 30))
    return backoff * (0.5 + jitter / 2)


def _number(text: str) -> float | None:
    """Return a non-negative finite number, or `None`."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
