"""The endpoints for those who run the server: alive, ready, metrics."""

from __future__ import annotations

from typing import Any

import orjson
from fastapi import Request
from starlette.responses import Response

from serve.api.building import policy_answer
from serve.api.gate import Gate
from serve.api.metrics import CONTENT_TYPE, Metrics
from serve.batching import DynamicBatcher
from serve.guard import Guard
from serve.policies import PolicyStore


class Operations:
    """Tells how the server is."""

    def __init__(
        self,
        guard: Guard,
        batcher: DynamicBatcher,
        policies: PolicyStore,
        metrics: Metrics,
        gate: Gate,
        metrics_need_key: bool,
    ) -> None:
        self._guard = guard
        self._batcher = batcher
        self._policies = policies
        self._metrics = metrics
        self._gate = gate
        self._metrics_need_key = metrics_need_key

    async def health(self, _: Request) -> Response:
        """Tell that the process answers."""
        return Response(b'{"status":"ok"}', media_type="application/json")

    async def ready(self, _: Request) -> Response:
        """Tell whether requests are taken, with which guard and policy."""
        closing = self._batcher.closed
        manifest = self._guard.bundle
        body: dict[str, Any] = {
            "status": "closing" if closing else "ready",
            "guard": f"{manifest.name}-{manifest.version}",
            "precision": self._guard.precision,
            "provider": self._guard.engine.provider,
            "policy": policy_answer(self._policies.decider.policy),
            "policy_is_stale": self._policies.problem is not None,
        }
        return Response(orjson.dumps(body), 503 if closing else 200, media_type="application/json")

    async def metrics(self, request: Request) -> Response:
        """Return the metrics for Prometheus."""
        if self._metrics_need_key:
            self._gate.caller(request)
        return Response(self._metrics.exposition(), media_type=CONTENT_TYPE)
