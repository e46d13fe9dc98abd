"""uvicorn's protocol for HTTP/1.1, with bounds: on time, on the size of headers, and on connections."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from serve.api.connections import OpenConnections
from serve.api.errors import ApiError
from serve.api.settings import LimitSettings

MOST_HEADER_BYTES = 65_536
"""Size of a request's line and headers, trailers included; beyond, 431."""

MOST_HEADERS = 100
"""Headers of a request, trailers included; beyond, 431."""

_LINGER_SECONDS = 1.0
"""Time to read on after a refusal: closing with input unread resets the connection, and the answer may be lost."""

_FRAMING = len(": \r\n")

_CLOSE = {"Connection": "close"}


class BoundedProtocol(HttpToolsProtocol):
    """Refuses what is not HTTP or too large, and closes connections whose request does not get on.

    uvicorn limits only the time between requests. The body of a request that is being answered is timed where it is
    read (`serve.api.gate`). A client that closes its sending side is taken to have left: a half-closed connection
    cannot be told from one that is closed before something is written to it, and nobody should rate texts for nobody.
    """

    limits = LimitSettings()
    open_connections = OpenConnections(limits.connections)

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - uvicorn's
        super().__init__(*arguments, **options)
        self._overdue: asyncio.TimerHandle | None = None
        self._in_header = False
        self._header_bytes = 0
        self._headers = 0
        self._parser_spoke = False
        self._unparsed = 0  # bytes since the parser last told of something: a header that does not end
        self._refusal: ApiError | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a request; clients may open a connection some time before they need it."""
        super().connection_made(transport)
        if self.open_connections.admit(self):
            self._expect(self.limits.idle_seconds)
        else:
            message = "Too many connections have a request in progress; ask again in 1 s."
            self._refuse(ApiError(503, message, "overloaded", {"Retry-After": "1", **_CLOSE}))

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing any more."""
        self._expect_nothing()
        self.open_connections.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came, unless something before it was refused."""
        if self._refusal is not None:
            return
        self._parser_spoke = False
        super().data_received(data)
        self._unparsed = 0 if self._parser_spoke else self._unparsed + len(data)
        if self._unparsed > MOST_HEADER_BYTES and self._refusal is None:
            self._refuse(_too_large())

    def on_message_begin(self) -> None:
        """Expect the rest of the header, for the first and for every further request on a connection."""
        self._parser_spoke = self._in_header = True
        self._header_bytes = self._headers = 0
        super().on_message_begin()
        self._expect(self.limits.header_seconds)

    def on_url(self, url: bytes) -> None:
        """Take in a piece of the request's line."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take in a header, or a trailer."""
        self._headers += 1
        self._count(len(name) + len(value) + _FRAMING)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Let the app take its time."""
        self._parser_spoke = True
        self._in_header = False
        self._expect_nothing()
        super().on_headers_complete()
        self.open_connections.is_busy(self)

    def on_chunk_header(self) -> None:
        """Note that the body gets on."""
        self._parser_spoke = True

    def on_body(self, body: bytes) -> None:
        """Take in a piece of a body."""
        self._parser_spoke = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Expect no more of this body."""
        self._parser_spoke = True
        self._expect_nothing()
        if self.cycle is not None and self.cycle.response_complete:
            self.cycle.more_body = False  # uvicorn leaves it for a request that was answered before its end
            self._expect(self.limits.idle_seconds)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Expect the next request, or the end of a body that was refused before it had arrived."""
        another_waits = bool(self.pipeline)
        super().on_response_complete()
        if another_waits:
            return
        self.open_connections.is_idle(self)
        if self.transport.is_closing():
            return
        if self._refusal is not None:
            self._tell(self._refusal)
        elif self.cycle.more_body:
            self._expect(self.limits.body_seconds)
        elif not self._in_header:
            self._expect(self.limits.idle_seconds)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's
        """Refuse what the parser stopped at, with our words for uvicorn's."""
        message = "This is not a valid HTTP/1.1 request; check the client, and what stands between it and here."
        self._refuse(self._refusal or ApiError(400, message, "invalid_http", _CLOSE))

    def drop(self) -> None:
        """Close at once; what was not yet sent is lost."""
        self._expect_nothing()
        self.transport.abort()

    def _count(self, size: int) -> None:
        self._parser_spoke = True
        self._header_bytes += size
        if self._header_bytes > MOST_HEADER_BYTES or self._headers > MOST_HEADERS:
            self._refusal = _too_large()
            raise self._refusal  # stops the parser, which calls for `send_400_response`

    def _refuse(self, error: ApiError) -> None:
        """Read nothing more, and tell why after the answers to the requests before."""
        self._refusal = error
        self._expect_nothing()
        current = self.cycle
        if current is not None and not current.response_complete:
            if not current.more_body:
                return  # whole requests are in hand; another answer would be taken for one of theirs
            # Its body is what is wrong, so that nobody waits for the rest.
            current.disconnected = True
            current.message_event.set()
            if self.pipeline:
                self.pipeline.popleft()
                return
            self.open_connections.is_idle(self)
        self._tell(error)

    def _tell(self, error: ApiError) -> None:
        answer = error.response()
        headers = [*self.server_state.default_headers, *answer.raw_headers]
        lines = [STATUS_LINE[error.status], *(b"%b: %b\r\n" % header for header in headers), b"\r\n"]
        self.transport.write(b"".join(lines) + bytes(answer.body))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._expect(_LINGER_SECONDS)

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


def _too_large() -> ApiError:
    message = (
        f"The request's headers are larger than {MOST_HEADER_BYTES:,} bytes or more than {MOST_HEADERS}; send less."
    )
    return ApiError(431, message, "headers_too_large", _CLOSE)


def bounded_protocol(limits: LimitSettings) -> type[HttpToolsProtocol]:
    """Return the protocol with these limits; uvicorn makes an instance of it for each connection."""
    bounds = {"limits": limits, "open_connections": OpenConnections(limits.connections)}
    return type("BoundedProtocol", (BoundedProtocol,), bounds)
