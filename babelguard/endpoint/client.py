"""Posts JSON and gets JSON: several requests at once, each repeated where that may help, within a budget."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from babelguard.endpoint.budget import Budget, BudgetSpentError
from babelguard.endpoint.concurrency import LoopThread
from babelguard.endpoint.failure import Kind, RequestFailedError, read_answer
from babelguard.endpoint.remedy import unusable
from babelguard.endpoint.retry import TrafficRecipe, retry_after_s, wait_s
from babelguard.endpoint.secrets import Secret
from babelguard.errors import UserError

if TYPE_CHECKING:
    import httpx2

MOST_BYTES = 32 * 1024 * 1024
"""An answer longer than this is none."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    Attributes:
        path: Below the service's address, with its query.
        payload: What is posted, as JSON.
        most_new_tokens: The most tokens that the answer can have; 0 where answers are not priced by length.
    """

    path: str
    payload: Mapping[str, Any]
    most_new_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one request: a JSON object, or the reason why there is none."""

    body: Mapping[str, Any] | None = None
    failure: RequestFailedError | None = None


@dataclass(slots=True)
class EndpointClient:
    """One service.

    Attributes:
        address: Its root, as `checked_address` returns it.
        headers: Sent with every request; they may hold the key.
        secret: The key, to be kept out of every message.
        traffic: How it is asked.
        budget: What it may cost.
    """

    address: str
    headers: Mapping[str, str] = field(repr=False)
    secret: Secret
    traffic: TrafficRecipe
    budget: Budget
    _resume_at: float = 0.0
    _failed_in_a_row: int = 0
    _probed: bool = False

    def post_all(self, requests: Iterable[Request], probe: Request) -> Iterator[Reply]:
        """Yield one reply a request, in order.

        Args:
            requests: What to ask; taken as needed.
            probe: A harmless request that is made once, before the first of all, outside the budget.

        Raises:
            UserError: The service cannot be used as the recipe describes it: it is not there, or rejects the key, the
                probe or, later, every request.
        """
        with LoopThread() as loop:
            http = loop.submit(self._open()).result()
            try:
                if not self._probed:
                    loop.submit(self._probe(http, probe)).result()
                    self._probed = True
                yield from loop.in_order(lambda request: self._reply(http, request), requests, self.traffic.concurrency)
            finally:
                loop.submit(http.aclose()).result()

    async def _open(self) -> httpx2.AsyncClient:
        try:
            import httpx2
        except ModuleNotFoundError:
            raise UserError(
                "Services need the package httpx2; install the extra: pip install 'babelguard[endpoints]'."
            ) from None
        width = self.traffic.concurrency
        return httpx2.AsyncClient(
            headers={**self.headers, "Content-Type": "application/json"},
            timeout=self.traffic.timeout_s,
            limits=httpx2.Limits(max_connections=width, max_keepalive_connections=width),
        )

    async def _probe(self, http: httpx2.AsyncClient, probe: Request) -> None:
        try:
            await self._with_retries(http, probe, Budget(self.budget.recipe.model_copy(update={"max_requests": None})))
        except RequestFailedError as failure:
            if failure.kind is not Kind.BLOCKED:
                raise unusable(self._url(probe), failure, self.secret) from None

    async def _reply(self, http: httpx2.AsyncClient, request: Request) -> Reply:
        if self._failed_in_a_row >= self.traffic.give_up_after:
            given_up = f"given up: {self._failed_in_a_row} items in a row had no answer"
            return Reply(failure=RequestFailedError(Kind.ITEM, given_up))
        try:
            body = await self._with_retries(http, request, self.budget)
        except RequestFailedError as failure:
            if failure.kind is Kind.SETUP:
                raise unusable(self._url(request), failure, self.secret, showing=False) from None
            self._failed_in_a_row = self._failed_in_a_row + 1 if failure.kind is Kind.AGAIN else 0
            return Reply(failure=failure)
        self._failed_in_a_row = 0
        return Reply(body=body)

    async def _with_retries(self, http: httpx2.AsyncClient, request: Request, budget: Budget) -> Mapping[str, Any]:
        from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

        def worth_it(error: BaseException) -> bool:
            if not isinstance(error, RequestFailedError) or error.kind is not Kind.AGAIN:
                return False
            return error.asked_s is None or error.asked_s <= self.traffic.longest_wait_s

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            return wait_s(self.traffic, state.attempt_number, getattr(error, "asked_s", None))

        retrying = AsyncRetrying(
            stop=stop_after_attempt(self.traffic.attempts), wait=wait, retry=retry_if_exception(worth_it), reraise=True
        )
        content = json.dumps(request.payload, ensure_ascii=True).encode("ascii")
        answer: Mapping[str, Any] = await retrying(self._attempt, http, request, content, budget)
        return answer

    async def _attempt(
        self, http: httpx2.AsyncClient, request: Request, content: bytes, budget: Budget
    ) -> Mapping[str, Any]:
        while (delay := self._resume_at - time.monotonic()) > 0:
            await asyncio.sleep(delay)
        try:
            reserved = await budget.reserve(len(content), request.most_new_tokens)
        except BudgetSpentError:
            raise RequestFailedError(Kind.BUDGET, "budget") from None
        cost: float | None = None
        try:
            body = await self._exchange(http, request, content)
            cost = self._cost(body)
        except RequestFailedError as failure:
            cost = None if failure.may_be_charged else 0.0
            if failure.asked_s is not None and failure.asked_s <= self.traffic.longest_wait_s:
                self._resume_at = max(self._resume_at, time.monotonic() + failure.asked_s)
            raise
        finally:
            budget.settle(reserved, cost)
        return body

    async def _exchange(self, http: httpx2.AsyncClient, request: Request, content: bytes) -> Mapping[str, Any]:
        import httpx2

        received = bytearray()
        try:
            async with (
                asyncio.timeout(self.traffic.timeout_s),
                http.stream("POST", f"{self.address}/{request.path}", content=content) as response,
            ):
                async for piece in response.aiter_bytes():
                    received += piece
                    if len(received) > MOST_BYTES:
                        raise RequestFailedError(Kind.ITEM, "answered without end", may_be_charged=True)
        except (TimeoutError, httpx2.TimeoutException) as error:
            connecting = isinstance(error, httpx2.ConnectTimeout | httpx2.PoolTimeout)
            reason = f"no whole answer in {self.traffic.timeout_s:g} s"
            raise RequestFailedError(Kind.AGAIN, reason, may_be_charged=not connecting) from None
        except httpx2.ConnectError as error:
            raise RequestFailedError(Kind.AGAIN, "cannot be reached", message=str(error)) from None
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            reason = f"the answer was cut off ({type(error).__name__})"
            raise RequestFailedError(Kind.AGAIN, reason, may_be_charged=True) from None
        asked = retry_after_s({name.lower(): value for name, value in response.headers.items()})
        return read_answer(response.status_code, bytes(received), asked)

    def _url(self, request: Request) -> str:
        """Return a request's address as it may be shown, without its query."""
        return f"{self.address}/{request.path.partition('?')[0]}"

    def _cost(self, body: Mapping[str, Any]) -> float | None:
        """Return what an answer cost; `None` where it has no account of its tokens though tokens are priced."""
        prices = self.budget.recipe
        if not prices.per_million_prompt_tokens and not prices.per_million_new_tokens:
            return prices.cost(0, 0)
        prompt_tokens, new_tokens = usage(body)
        if prompt_tokens is None or new_tokens is None:
            return None
        return prices.cost(prompt_tokens, new_tokens)


def usage(body: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return (prompt tokens, new tokens) of an answer, each `None` where the service does not say."""
    found = body.get("usage")
    counts = found if isinstance(found, Mapping) else {}
    values = [counts.get(key) for key in ("prompt_tokens", "completion_tokens")]
    prompt, new = (v if isinstance(v, int) and not isinstance(v, bool) and v >= 0 else None for v in values)
    return prompt, new
