"""The settings of the API and of the server around it; every one can stand in a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from babelguard.recipe import RecipeModel
from serve.batching.settings import BatchingSettings


class LimitSettings(RecipeModel):
    """What one request, and one caller, may ask for."""

    body_bytes: int = Field(1_000_000, ge=1_000, description="Size of a request's body; beyond, 413")
    texts: int = Field(256, ge=1, description="Texts in a request; beyond, 422")
    text_characters: int = Field(100_000, ge=1, description="Characters of a text; beyond, 422")
    messages: int = Field(1_000, ge=1, description="Messages of a conversation; beyond, 422")
    body_seconds: float = Field(10.0, gt=0, description="Time for a body to arrive whole; beyond, 408")
    header_seconds: float = Field(
        10.0, gt=0, description="Time for a request's header to arrive, from its first byte on; beyond, closed"
    )
    idle_seconds: int = Field(30, ge=1, description="Time for which a connection stays open without a request")
    requests_at_once: int = Field(
        2_000, ge=1, description="Requests in progress; beyond, 503, but for /healthz, /readyz and /metrics"
    )
    connections: int = Field(
        4_000, ge=1, description="Open connections; beyond, the one that has been idle for longest is closed"
    )
    requests_per_minute: int | None = Field(
        None, ge=1, description="Requests of one caller in a minute; beyond, 429. A caller is a key, else an address"
    )
    texts_per_minute: int | None = Field(None, ge=1, description="Texts of one caller in a minute; beyond, 429")


class LanguageSettings(RecipeModel):
    """What is done where the caller names no language."""

    identify: bool = Field(True, description="Identify it; otherwise the guard's pooled values are used")
    confidence: float = Field(0.5, ge=0, le=1, description="Least probability of an identified language")


class LogSettings(RecipeModel):
    """What is logged. Texts never are."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    requests: bool = Field(True, description="Log a line for each request to the API")


class AuditSettings(RecipeModel):
    """An audit log of decisions, for reviewing a guard on the traffic it sees."""

    folder: Path = Field(description="Where a file for each day is written")
    share: float = Field(0.01, gt=0, le=1, description="Share of texts that are written, drawn at random")
    retention_days: int = Field(30, ge=1, description="Files of earlier days are deleted")
    texts: bool = Field(False, description="Write the texts themselves; otherwise a hash of each")


class ApiSettings(RecipeModel):
    """How the API behaves, whoever serves it."""

    keys_variable: str = Field(
        "BABELGUARD_API_KEYS",
        description="Environment variable with the callers' keys: KEY,KEY or NAME:KEY,NAME:KEY. Not set: none is asked",
    )
    cors_origins: tuple[str, ...] = Field((), description="Origins whose pages may call the API from a browser")
    docs: bool = Field(True, description="Serve /docs and /openapi.json")
    metrics: Literal["open", "key", "off"] = Field(
        "key", description="Who may read /metrics: everybody, callers with a key (where keys are set), nobody"
    )
    policy_seconds: float = Field(2.0, gt=0, description="How often the policy's files are looked at for changes")
    window_cache: int = Field(
        4096, ge=0, description="Windows of conversations whose logits are kept, so that a growing answer is not rerun"
    )
    limits: LimitSettings = LimitSettings()
    batching: BatchingSettings = BatchingSettings()
    language: LanguageSettings = LanguageSettings()
    audit: AuditSettings | None = None
    logs: LogSettings = LogSettings()

    @model_validator(mode="after")
    def _one_request_fits_the_queue(self) -> ApiSettings:
        # Otherwise such a request would be told for ever to come back later.
        if self.limits.texts > self.batching.queue_texts:
            raise ValueError(
                f"limits.texts is {self.limits.texts} and batching.queue_texts {self.batching.queue_texts}; "
                "a request of so many texts could never be accepted"
            )
        if self.limits.body_bytes > self.batching.queue_characters:
            raise ValueError(
                f"limits.body_bytes is {self.limits.body_bytes} and batching.queue_characters "
                f"{self.batching.queue_characters}; a request of that size could never be accepted"
            )
        return self


class ServeRecipe(ApiSettings):
    """A server: a guard, how it runs, and the API around it."""

    bundle: Path | None = Field(None, description="The guard's bundle; the starter guard if not set")
    precision: Literal["fp32", "fp16", "int8"] | None = Field(None, description="The bundle's default if not set")
    provider: Literal["auto", "cpu", "cuda", "tensorrt"] = "auto"
    threads: int | None = Field(None, ge=1, description="CPU cores that the engine uses; all if not set")
    tuning: Literal["latency", "throughput"] = Field(
        "throughput", description="latency: all threads on one batch; throughput: as many batches as threads"
    )
    policy: Path | None = Field(None, description="Policy file; the guard's own thresholds flag if not set")
    host: str = Field("127.0.0.1", description="Address to listen on; one that others reach needs keys")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 is any free one")
    without_keys: bool = Field(False, description="Listen for others without keys: whoever reaches the port may ask")
    shutdown_seconds: int = Field(30, ge=1, description="Time to finish accepted requests after SIGTERM")
    ui: str | None = Field(
        None, description="MODULE:FUNCTION that mounts pages at /ui: (API, guard, policy=PolicyStore)"
    )
