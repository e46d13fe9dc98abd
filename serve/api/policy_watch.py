"""Looks at the policy's files for changes, every so often and when told to."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from serve.api.logs import LOGGER
from serve.policies import PolicyStore


class PolicyWatch:
    """Keeps the policy in force up to date. Used from the event loop alone."""

    def __init__(self, store: PolicyStore, seconds: float) -> None:
        self._store = store
        self._seconds = seconds
        self._told: asyncio.Event | None = None  # an event belongs to one loop, that in which `run` runs

    def look_now(self) -> None:
        """Look without waiting for the next time."""
        if self._told is not None:
            self._told.set()

    async def run(self) -> None:
        """Look until cancelled, and log what came of it."""
        told = self._told = asyncio.Event()
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(told.wait(), self._seconds)
            told.clear()
            await self._look()

    async def _look(self) -> None:
        logger, store = logging.getLogger(LOGGER), self._store
        failures = store.failures
        if await asyncio.to_thread(store.refresh):
            policy = store.decider.policy
            fields = {"policy": policy.name, "version": policy.version, "digest": policy.digest}
            if store.decider.remark is not None:
                fields["remark"] = store.decider.remark
            logger.info("policy in force", extra={"fields": fields})
        elif store.failures > failures:
            logger.error("policy is broken, the old one stays", extra={"fields": {"problem": store.problem}})
