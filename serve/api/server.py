"""uvicorn's server, which says where it listens, ends in order, and looks at the policy when told to."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import threading
from typing import Any

import uvicorn

from serve.api.controls import Controls
from serve.api.logs import LOGGER

_TIME_TO_TELL = 0.5
"""Seconds before the end of a shutdown at which what is in hand is given up, so that its clients can be told."""


class Server(uvicorn.Server):
    """Serves an app with `Controls` until SIGTERM or SIGINT; SIGHUP makes it look at the policy."""

    def __init__(self, config: uvicorn.Config, controls: Controls) -> None:
        super().__init__(config)
        self._controls = controls

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and heed SIGHUP."""
        # First, so that who has read that it is ready may send one.
        if _may_handle_hangups():
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._controls.look_at_policy)
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what is in hand, in time with what was asked for, else with 503."""
        seconds = float(self.config.timeout_graceful_shutdown or 0)
        deadline = max(seconds - _TIME_TO_TELL, seconds / 2)
        giving_up = asyncio.get_running_loop().call_later(deadline, self._controls.give_up)
        try:
            await super().shutdown(sockets)
        finally:
            giving_up.cancel()

    def _log_started_message(self, listeners: Any) -> None:  # noqa: ANN401 - uvicorn's
        """Say where it listens, which matters where the port is any free one."""
        host, port = listeners[0].getsockname()[:2]
        logging.getLogger(LOGGER).info("ready", extra={"fields": {"host": host, "port": port}})


def ignore_hangups() -> None:
    """Do not end at a SIGHUP that comes before the server is there to heed it."""
    if _may_handle_hangups():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _may_handle_hangups() -> bool:
    # Windows has none, and only the main thread may say what becomes of a signal.
    return hasattr(signal, "SIGHUP") and threading.current_thread() is threading.main_thread()
