"""What is counted and timed, for Prometheus. Labels have few values each, and none of them comes from a text."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import generate_latest

from serve.policies import Decision

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
UNKNOWN = "unknown"

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_WINDOWS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_TOKENS = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
_CHARACTERS = (16, 64, 256, 1024, 4096, 16384, 65536, 262144)


class Metrics:
    """The metrics of one app, in a registry of its own. Its methods may be called from any thread."""

    def __init__(self, guard: str, precision: str, provider: str) -> None:
        self.registry = CollectorRegistry()
        registry = self.registry
        self._requests = Histogram(
            "babelguard_request_seconds",
            "Time from a request's header to its answer.",
            ["route", "status"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._waits = Histogram(
            "babelguard_queue_seconds", "Time for which requests wait.", buckets=_SECONDS, registry=registry
        )
        self._run_seconds = Histogram(
            "babelguard_run_seconds", "Time of one run of the model.", buckets=_SECONDS, registry=registry
        )
        self._run_windows = Histogram(
            "babelguard_run_windows", "Windows in one run of the model.", buckets=_WINDOWS, registry=registry
        )
        self._run_tokens = Histogram(
            "babelguard_run_tokens",
            "Tokens in one run of the model, without padding.",
            buckets=_TOKENS,
            registry=registry,
        )
        self._characters = Histogram(
            "babelguard_text_characters", "Length of texts in characters.", buckets=_CHARACTERS, registry=registry
        )
        self._texts = Counter(
            "babelguard_texts", "Texts by language and action.", ["language", "action"], registry=registry
        )
        self._decisions = Counter(
            "babelguard_decisions",
            "Decisions by category, language and action.",
            ["category", "language", "action"],
            registry=registry,
        )
        self._refused = Counter(
            "babelguard_refused_requests", "Requests that were refused, by reason.", ["reason"], registry=registry
        )
        self.audit_losses = Counter(
            "babelguard_audit_losses", "Texts drawn for the audit log that could not be written.", registry=registry
        )
        build = Gauge(
            "babelguard_build", "What is served; always 1.", ["guard", "precision", "provider"], registry=registry
        )
        build.labels(guard, precision, provider).set(1)
        self._children: dict[tuple[str, ...], Counter] = {}

    def watch(self, name: str, about: str, value: Callable[[], float]) -> None:
        """Add a gauge that is read when the metrics are."""
        Gauge(name, about, registry=self.registry).set_function(value)

    def request_answered(self, route: str, status: int, seconds: float) -> None:
        """Take note of an answer."""
        self._requests.labels(route, str(status)).observe(seconds)

    def request_refused(self, reason: str) -> None:
        """Take note of a request that was not answered as asked."""
        self._refused.labels(reason).inc()

    def request_waited(self, seconds: float) -> None:
        """Take note of a wait in the queue."""
        self._waits.observe(seconds)

    def batch_ran(self, windows: int, tokens: int, seconds: float) -> None:
        """Take note of a run of the model."""
        self._run_seconds.observe(seconds)
        self._run_windows.observe(windows)
        self._run_tokens.observe(tokens)

    def text_decided(self, decision: Decision, language: str | None, characters: int) -> None:
        """Take note of a text's decision."""
        spoken = language or UNKNOWN
        self._characters.observe(characters)
        self._child(self._texts, spoken, decision.action.value).inc()
        for category, action in decision.categories.items():
            self._child(self._decisions, category, spoken, action.value).inc()

    def exposition(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self.registry)

    def _child(self, parent: Counter, *labels: str) -> Counter:
        # Looking a child up here is several times as fast as through the parent's lock, and there are nine a text.
        key = labels
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = parent.labels(*labels)
        return child
