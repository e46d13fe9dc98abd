"""Errors as the API tells them: a status, and a sentence in the form that OpenAI's clients read."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from starlette.responses import Response

_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error", 500: "server_error"}


class ApiError(Exception):
    """A request that is not answered as asked.

    Attributes:
        status: HTTP status.
        message: A sentence with the remedy; never any of the request's text.
        code: Short name for programs.
        headers: Further headers of the answer.
    """

    def __init__(self, status: int, message: str, code: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = dict(headers or {})

    def response(self) -> Response:
        """Return the error as an answer."""
        kind = _TYPES.get(self.status, "server_error" if self.status >= 500 else "invalid_request_error")
        body = {"error": {"message": self.message, "type": kind, "param": None, "code": self.code}}
        return Response(orjson.dumps(body), self.status, self.headers, "application/json")


class ClientGoneError(Exception):
    """The client has closed the connection; nobody reads an answer."""


def closing() -> ApiError:
    """Return the refusal of a server that is shutting down."""
    message = "The server is shutting down; ask another replica."
    return ApiError(503, message, "closing", {"Retry-After": "1", "Connection": "close"})
