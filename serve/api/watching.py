"""Watches requests to the API: an id for each, a line in the log, a place in the metrics."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Collection
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serve.api.logs import LOGGER
from serve.api.metrics import Metrics

_NOTES = "babelguard.notes"
_GONE = 499


def notes_of(scope: Scope) -> dict[str, Any]:
    """Return what has been noted about a request so far; counts and names, never text."""
    notes: dict[str, Any] = scope.setdefault(_NOTES, {})
    return notes


class RequestWatch:
    """Middleware around all routes. What is mounted elsewhere (``/ui``) is passed on unwatched."""

    def __init__(self, app: ASGIApp, metrics: Metrics, routes: Collection[str], log_requests: bool) -> None:
        self._app = app
        self._routes = frozenset(routes)
        self._metrics = metrics
        self._log_requests = log_requests
        self._logger = logging.getLogger(LOGGER)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path = scope["path"].removeprefix(scope.get("root_path", "")) if scope["type"] == "http" else ""
        if not path.startswith("/v1/"):
            await self._app(scope, receive, send)
            return
        begin = time.perf_counter()
        notes = notes_of(scope)
        name = notes["request"] = secrets.token_hex(8)
        status = 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", name.encode())]
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            seconds = time.perf_counter() - begin
            # The path as it came may hold anything, and would be a label without end.
            route = path if path in self._routes else "unmatched"
            status = _GONE if notes.pop("gone", False) else status
            self._metrics.request_answered(route, status, seconds)
            if status >= 400:
                self._metrics.request_refused(str(notes.get("refused", status)))
            if self._log_requests:
                fields = {"method": scope["method"], "route": route, "status": status}
                fields |= {"ms": round(seconds * 1000, 2), **notes}
                self._logger.info("request", extra={"fields": fields})
