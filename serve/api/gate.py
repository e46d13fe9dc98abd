"""What every request to the API passes first: key, rate limit, type and size of the body, time for it to arrive."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

from serve.api.errors import ApiError, ClientGoneError
from serve.api.keys import KeyRing
from serve.api.rate_limits import RateLimit
from serve.api.settings import LimitSettings

_JSON = ("application/json", "text/json")


class Gate:
    """Lets requests in. Used from the event loop alone."""

    def __init__(self, limits: LimitSettings, keys: KeyRing | None) -> None:
        self._limits = limits
        self._keys = keys
        per_minute = (limits.requests_per_minute, limits.texts_per_minute)
        self._requests, self._texts = (RateLimit(each) if each is not None else None for each in per_minute)

    def caller(self, request: Request) -> str:
        """Return who asks: the name of a key, or where no keys are set the address.

        Raises:
            ApiError: 401 without a right key.
        """
        if self._keys is not None:
            caller = self._keys.caller(request.headers.get("authorization"))
            if caller is None:
                message = "No valid key; send the header `Authorization: Bearer KEY`."
                raise ApiError(401, message, "invalid_api_key", {"WWW-Authenticate": "Bearer"})
            return caller
        return request.client.host if request.client is not None else "unknown"

    async def admit(self, request: Request) -> tuple[str, bytes]:
        """Return the caller and the body of a request.

        Raises:
            ApiError: 401, 408, 413, 415 or 429.
            ClientGoneError: The client closed the connection before its body was whole.
        """
        caller = self.caller(request)
        _charge(self._requests, caller, 1, "requests")
        kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
        if kind not in _JSON and not kind.endswith("+json"):
            raise ApiError(
                415, "The body must be JSON; send `Content-Type: application/json`.", "unsupported_media_type"
            )
        return caller, await self._body(request)

    def charge_texts(self, caller: str, texts: int) -> None:
        """Count texts against the caller's allowance.

        Raises:
            ApiError: 429.
        """
        _charge(self._texts, caller, texts, "texts")

    async def _body(self, request: Request) -> bytes:
        limit = self._limits.body_bytes
        announced = request.headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > limit:
            raise _too_large(limit)
        pieces: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                async for piece in request.stream():
                    size += len(piece)
                    if size > limit:
                        raise _too_large(limit)
                    pieces.append(piece)
        except TimeoutError:
            message = f"The body did not arrive within {self._limits.body_seconds:g} s; send it again."
            raise ApiError(408, message, "body_timeout", {"Connection": "close"}) from None
        except ClientDisconnect:
            raise ClientGoneError from None
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _charge(limit: RateLimit | None, caller: str, amount: int, what: str) -> None:
    seconds = limit.take(caller, amount) if limit is not None else 0
    if seconds:
        message = f"Too many {what} in a minute; ask again in {seconds} s."
        raise ApiError(429, message, "rate_limit_exceeded", {"Retry-After": str(seconds)})


def _too_large(limit: int) -> ApiError:
    return ApiError(413, f"The body is larger than {limit:,} bytes; send several requests.", "body_too_large")
