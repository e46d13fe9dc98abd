"""A batcher that runs, and answers that show what it did."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from serve.batching import BatchingSettings, DynamicBatcher
from serve.batching.engine import Logits, Observer
from serve.windows import Encoded
from tests.serve.batching.fake_engine import FakeEngine

WAIT = 20


def seen(position: int, encoded: Encoded, logits: Logits) -> tuple[int, list[tuple[int, int]], list[list[float]]]:
    return position, list(encoded.spans), logits.tolist()


def what(text: str, window: int) -> tuple[list[tuple[int, int]], list[list[float]]]:
    """What `seen` must give of a text, worked out without any batching."""
    starts = range(0, len(text), window)
    spans = [(s, min(s + window, len(text))) for s in starts]
    return spans, [[float(ord(text[s])), float(e - s)] for s, e in spans]


@contextmanager
def running(engine: FakeEngine, *, observer: Observer | None = None, **settings: object) -> Iterator[DynamicBatcher]:
    batcher = DynamicBatcher(engine, BatchingSettings.model_validate({"maximum_wait_ms": 0, **settings}), observer)
    try:
        yield batcher
    finally:
        engine.gate.set()
        batcher.close()
