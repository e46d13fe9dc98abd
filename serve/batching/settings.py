"""How batches are made, and how much may wait."""

from __future__ import annotations

from pydantic import Field

from babelguard.recipe import RecipeModel


class BatchingSettings(RecipeModel):
    """Settings of the dynamic batcher."""

    workers: int | None = Field(
        None,
        ge=1,
        le=256,
        description="Batches that run at the same time. Many workers with one engine thread each give throughput, "
        "one worker with many engine threads gives latency. What the engine is tuned for if not set",
    )
    maximum_wait_ms: float | None = Field(
        None,
        ge=0,
        le=10_000,
        description="How long a batch that is not full waits for more, in milliseconds, from its oldest request on. "
        "2 on a GPU, which is idle with small batches, and 0 on a CPU, where it would only add latency, if not set",
    )
    batch_tokens: int | None = Field(
        None,
        ge=1,
        description="Tokens in a batch. More raises throughput on a GPU and the time for which a short text waits "
        "behind others everywhere. What the engine is tuned for if not set",
    )
    run_tokens: int | None = Field(
        None,
        ge=0,
        description="What one more run of the model costs, in tokens: a batch of mixed lengths is split into runs "
        "where that saves more padding. What suits the provider if not set",
    )
    queue_texts: int = Field(
        1024, ge=1, description="Texts that are accepted and not yet answered; beyond, requests are refused with 503"
    )
    queue_characters: int = Field(
        4_000_000, ge=1, description="Characters of the texts that are accepted and not yet answered"
    )
