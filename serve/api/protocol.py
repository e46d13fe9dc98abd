"""uvicorn's protocol for HTTP/1.1, with a limit on the time for which a request may be incomplete."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from serve.api.settings import LimitSettings


class TimedProtocol(HttpToolsProtocol):
    """Closes connections whose request does not get on: headers sent a byte at a time, bodies that nobody reads.

    uvicorn limits only the time between requests. The body of a request that is being answered is timed where it is
    read (`serve.api.gate`).
    """

    limits = LimitSettings()

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - uvicorn's
        super().__init__(*arguments, **options)
        self._overdue: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a request."""
        super().connection_made(transport)
        self._expect(self.limits.idle_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing any more."""
        self._expect_nothing()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Expect the rest of the header, for the first and for every further request on a connection."""
        super().on_message_begin()
        self._expect(self.limits.header_seconds)

    def on_headers_complete(self) -> None:
        """Let the app take its time."""
        self._expect_nothing()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Expect the end of a body that was refused before it had arrived."""
        super().on_response_complete()
        if self.cycle is not None and self.cycle.more_body:
            self._expect(self.limits.body_seconds)

    def on_message_complete(self) -> None:
        """Expect no more of this body."""
        self._expect_nothing()
        super().on_message_complete()

    def _expect(self, seconds: float) -> None:
        self._expect_nothing()
        self._overdue = self.loop.call_later(seconds, self._close)

    def _expect_nothing(self) -> None:
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None

    def _close(self) -> None:
        self._overdue = None
        if not self.transport.is_closing():
            self.transport.close()


def timed_protocol(limits: LimitSettings) -> type[HttpToolsProtocol]:
    """Return the protocol with these limits; uvicorn makes an instance of it for each connection."""
    return type("TimedProtocol", (TimedProtocol,), {"limits": limits})
