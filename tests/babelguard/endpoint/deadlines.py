"""Time-outs that a test sets off, in place of the clock."""

from __future__ import annotations

import asyncio


class Deadlines:
    """Stands in for `asyncio.timeout`; `expire` lets the latest one pass, from any thread."""

    def __init__(self) -> None:
        self.latest: asyncio.Timeout | None = None
        self.loop: asyncio.AbstractEventLoop | None = None

    def timeout(self, delay: float) -> asyncio.Timeout:
        self.loop = asyncio.get_running_loop()
        self.latest = asyncio.Timeout(self.loop.time() + delay)
        return self.latest

    def expire(self) -> None:
        assert self.loop is not None
        assert self.latest is not None
        self.loop.call_soon_threadsafe(self.latest.reschedule, self.loop.time())
