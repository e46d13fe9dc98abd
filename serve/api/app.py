"""Puts the API together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from babelguard import __version__
from serve.api.answers import ChatGuardAnswer, HealthAnswer, ModerationAnswer, RateAnswer, ReadyAnswer
from serve.api.audit import AuditLog
from serve.api.building import AnswerBuilder
from serve.api.controls import Controls
from serve.api.endpoints import Endpoints
from serve.api.errors import ApiError, ClientGoneError
from serve.api.gate import Gate
from serve.api.in_progress import BoundedProgress, RequestsInProgress
from serve.api.keys import KeyRing
from serve.api.metrics import Metrics
from serve.api.moderator import Moderator
from serve.api.openapi import body_of, describe_bodies, responses_of
from serve.api.operations import Operations
from serve.api.policy_watch import PolicyWatch
from serve.api.requests import ChatGuardRequest, ModerationRequest, RateRequest
from serve.api.settings import ApiSettings
from serve.api.watching import RequestWatch, notes_of
from serve.batching import DynamicBatcher
from serve.batching.packing import CPU_RUN_TOKENS, GPU_RUN_TOKENS
from serve.batching.settings import BatchingSettings
from serve.batching.window_cache import WindowCache
from serve.guard import Guard
from serve.language_identification import LanguageIdentifier
from serve.policies import DEFAULT_POLICY, PolicyStore

ROUTES = ("/v1/moderations", "/v1/rate", "/v1/chat/guard")

Responses: TypeAlias = dict[int | str, dict[str, Any]]

_OF_FRAMEWORK = {
    404: ("There is nothing at this path; see /docs.", "not_found"),
    405: ("This path takes another method, see the header Allow.", "method_not_allowed"),
}


def create_app(
    guard: Guard,
    policy: PolicyStore | Path | None = None,
    settings: ApiSettings | None = None,
    identifier: LanguageIdentifier | None = None,
) -> FastAPI:
    """Return the API of a guard; other apps may be mounted in it, and it may be mounted in another.

    The batcher's threads start at once. They end, with everything accepted answered, when the app's lifespan does.

    Args:
        guard: The guard.
        policy: The policy, or its file; the guard's own thresholds flag if `None`.
        settings: Limits, batching, logs and so on. The callers' keys come from the environment.
        identifier: What identifies languages; made here, where the settings ask for it, if `None`.

    Raises:
        UserError: The policy, the keys or the audit log's folder are wrong.
    """
    settings = settings or ApiSettings()
    store = policy if isinstance(policy, PolicyStore) else PolicyStore(policy or DEFAULT_POLICY, guard.bundle)
    if identifier is None and settings.language.identify:
        identifier = LanguageIdentifier(settings.language.confidence)
    manifest = guard.bundle
    builder = AnswerBuilder(manifest)
    metrics = Metrics(builder.model, guard.precision, guard.engine.provider)
    keys = KeyRing.from_environment(settings.keys_variable)
    audit = AuditLog(settings.audit, metrics.audit_losses.inc) if settings.audit is not None else None
    batcher = DynamicBatcher(guard, _batching(settings.batching, guard), metrics)
    cache = WindowCache(settings.window_cache) if settings.window_cache else None
    _watch(metrics, batcher, store, cache)
    gate = Gate(settings.limits, keys)
    moderator = Moderator(guard, batcher, store, metrics, identifier, audit)
    endpoints = Endpoints(moderator, builder, gate, settings.limits, metrics, cache)
    operations = Operations(guard, batcher, store, metrics, gate, settings.metrics == "key")
    policy_watch = PolicyWatch(store, settings.policy_seconds)
    in_progress = RequestsInProgress(settings.limits.requests_at_once)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        watching = asyncio.create_task(policy_watch.run())
        yield
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        await asyncio.to_thread(batcher.close)
        if audit is not None:
            await asyncio.to_thread(audit.close)

    api = FastAPI(
        title="Babelguard",
        version=__version__,
        description=f"Moderation by the guard {builder.model}, after OpenAI's endpoint, and what it says in full.",
        lifespan=lifespan,
        docs_url="/docs" if settings.docs else None,
        redoc_url=None,
        openapi_url="/openapi.json" if settings.docs else None,
        redirect_slashes=False,  # the redirect's address would be made of the header Host, which the client writes
    )
    api.state.controls = Controls(policy_watch.look_now, in_progress.give_up)
    _add_routes(api, endpoints, operations, settings)
    _add_error_handlers(api)
    describe_bodies(api, settings.limits, with_keys=keys is not None)
    _add_middleware(api, settings, in_progress, metrics)
    return api


def _add_middleware(api: FastAPI, settings: ApiSettings, in_progress: RequestsInProgress, metrics: Metrics) -> None:
    # What is added last sees a request first: also what is refused is watched, and may be read by allowed origins.
    api.add_middleware(BoundedProgress, requests=in_progress)
    if settings.cors_origins:
        from starlette.middleware.cors import CORSMiddleware

        api.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["POST"],
            allow_headers=["Authorization", "Content-Type"],
        )
    api.add_middleware(RequestWatch, metrics=metrics, routes=ROUTES, log_requests=settings.logs.requests)


def _batching(settings: BatchingSettings, guard: Guard) -> BatchingSettings:
    engine = guard.engine
    on_cpu = engine.provider == "cpu"
    suited = {
        "workers": engine.workers,
        "maximum_wait_ms": 0.0 if on_cpu else 2.0,
        "batch_tokens": engine.batch_tokens,
        "run_tokens": CPU_RUN_TOKENS if on_cpu else GPU_RUN_TOKENS,
    }
    return settings.model_copy(
        update={name: value for name, value in suited.items() if getattr(settings, name) is None}
    )


def _watch(metrics: Metrics, batcher: DynamicBatcher, store: PolicyStore, cache: WindowCache | None) -> None:
    metrics.watch("babelguard_texts_in_hand", "Texts accepted and not yet answered.", lambda: batcher.texts_in_hand)
    metrics.watch("babelguard_policy_reloads", "Changed policies that came into force.", lambda: store.reloads)
    metrics.watch("babelguard_policy_failures", "Changed policies that were broken.", lambda: store.failures)
    if cache is not None:
        metrics.watch("babelguard_windows_reused", "Windows that need not run again.", lambda: cache.hits)


def _add_routes(api: FastAPI, endpoints: Endpoints, operations: Operations, settings: ApiSettings) -> None:
    judging: tuple[tuple[Callable[[Request], Awaitable[Response]], type[BaseModel], type[BaseModel]], ...] = (
        (endpoints.moderations, ModerationRequest, ModerationAnswer),
        (endpoints.rate, RateRequest, RateAnswer),
        (endpoints.chat_guard, ChatGuardRequest, ChatGuardAnswer),
    )
    for path, (endpoint, body, answer) in zip(ROUTES, judging, strict=True):
        # The first one answers. The second one is never reached and describes it: the framework's own way to an
        # endpoint, with its dependencies, costs more than reading and answering a request.
        api.add_route(path, endpoint, methods=["POST"])
        api.add_api_route(
            path,
            endpoint,
            methods=["POST"],
            responses=responses_of(answer),
            openapi_extra=body_of(body),
            tags=["texts"],
        )
    ready: Responses = {200: {"model": ReadyAnswer}, 503: {"model": ReadyAnswer, "description": "Shutting down."}}
    text: Responses = {200: {"content": {"text/plain": {}}, "description": "Prometheus's text format"}}
    operating: dict[str, tuple[Callable[[Request], Awaitable[Response]], Responses]] = {
        "/healthz": (operations.health, {200: {"model": HealthAnswer}}),
        "/readyz": (operations.ready, ready),
    }
    if settings.metrics != "off":
        operating["/metrics"] = (operations.metrics, text)
    for path, (operation, responses) in operating.items():
        # As above; and the first one answers HEAD too, which load balancers ask with.
        api.add_route(path, operation, methods=["GET"])
        api.add_api_route(path, operation, responses=responses, response_class=Response, tags=["operations"])


def _add_error_handlers(api: FastAPI) -> None:
    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, ApiError)
        notes_of(request.scope)["refused"] = error.code
        return error.response()

    async def gone(request: Request, _: Exception) -> Response:
        notes_of(request.scope)["gone"] = True
        return Response(status_code=400)

    async def not_here(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        message, code = _OF_FRAMEWORK.get(error.status_code, (str(error.detail), "invalid_request"))
        return ApiError(error.status_code, message, code, error.headers).response()

    async def failed(_: Request, __: Exception) -> Response:
        message = "The server failed; the log has the place, under the id of the header x-request-id."
        return ApiError(500, message, "internal_error").response()

    handlers: tuple[tuple[type[Exception], Callable[[Request, Exception], Awaitable[Response]]], ...] = (
        (ApiError, refused),
        (ClientGoneError, gone),
        (HTTPException, not_here),
        (Exception, failed),
    )
    for kind, handler in handlers:
        api.add_exception_handler(kind, handler)
