"""The requests that are being answered: how many there may be, and what becomes of them when time is up."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serve.api.errors import ApiError, closing
from serve.api.watching import notes_of

ALWAYS_ANSWERED = frozenset({"/healthz", "/readyz", "/metrics"})
"""Who asks for these wants to know how the server is, above all when it has too much to do."""


class RequestsInProgress:
    """Knows the tasks of the requests in progress. Used from the event loop alone."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._tasks: set[asyncio.Task[Any]] = set()
        self._given_up = False

    @property
    def given_up(self) -> bool:
        """Whether nothing is answered any more."""
        return self._given_up

    def give_up(self) -> None:
        """Answer whatever is in hand, and what still comes, with 503: the process is about to end."""
        self._given_up = True
        for task in self._tasks:
            task.cancel()

    def enter(self, task: asyncio.Task[Any]) -> None:
        """Count a request in.

        Raises:
            ApiError: 503 if there are too many, or the server has given up.
        """
        if self._given_up:
            raise closing()
        if len(self._tasks) >= self._most:
            message = "Too many requests are in progress; ask again in 1 s."
            raise ApiError(503, message, "overloaded", {"Retry-After": "1"})
        self._tasks.add(task)

    def leave(self, task: asyncio.Task[Any]) -> None:
        """Count a request out."""
        self._tasks.discard(task)


class BoundedProgress:
    """Middleware that keeps to `RequestsInProgress`."""

    def __init__(self, app: ASGIApp, requests: RequestsInProgress) -> None:
        self._app = app
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path = scope["path"].removeprefix(scope.get("root_path", "")) if scope["type"] == "http" else ""
        task = asyncio.current_task()
        if scope["type"] != "http" or path in ALWAYS_ANSWERED or task is None:
            await self._app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            self._requests.enter(task)
            await self._app(scope, receive, watched)
        except ApiError as error:
            await _refuse(error, scope, receive, send)
        except asyncio.CancelledError:
            if not self._requests.given_up:
                raise
            task.uncancel()
            if not started:  # else uvicorn closes the connection, and the client sees that the answer is not whole
                await _refuse(closing(), scope, receive, send)
        finally:
            self._requests.leave(task)


async def _refuse(error: ApiError, scope: Scope, receive: Receive, send: Send) -> None:
    notes_of(scope)["refused"] = error.code
    await error.response()(scope, receive, send)
