"""Whatever goes wrong in a worker, nobody waits for ever and the next request is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from serve.batching import BatchingSettings, DynamicBatcher
from serve.batching.engine import Logits, NoObserver
from serve.windows import Encoded, Ids
from tests.serve.batching.fake_engine import FakeEngine
from tests.serve.batching.running import WAIT, running, seen


class PanicError(BaseException):
    """What a library in Rust raises: no `Exception`, and its message may quote the text."""


class Failing(FakeEngine):
    """Goes wrong in one way with texts that begin with `bad`."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        bad = any(text.startswith("bad") for text in texts)
        if bad and self.way == "encode panics":
            raise PanicError(texts[0])
        encoded = super().encode_all(texts)
        return encoded[1:] if bad and self.way == "encode loses one" else encoded

    def logits(self, windows: Sequence[Ids]) -> Logits:
        bad = any(window[0] == ord("b") for window in windows)
        if bad and self.way == "run panics":
            raise PanicError("bad")
        logits = super().logits(windows)
        return logits[1:] if bad and self.way == "run loses one" else logits


@pytest.mark.parametrize("way", ["encode panics", "encode loses one", "run panics", "run loses one"])
def test_an_engine_that_fails(way: str) -> None:
    with running(Failing(way)) as batcher:
        with pytest.raises((RuntimeError, ValueError)) as raised:
            batcher.submit(["bad text"], seen).result(WAIT)
        assert "text" not in str(raised.value)
        assert batcher.submit(["good"], seen).result(WAIT)
        assert batcher.texts_in_hand == 0


@pytest.mark.parametrize("error", [PanicError, asyncio.CancelledError, MemoryError])
def test_an_answer_that_fails(error: type[BaseException]) -> None:
    def broken(position: int, encoded: Encoded, logits: Logits) -> None:
        raise error

    with running(FakeEngine()) as batcher:
        with pytest.raises((RuntimeError, MemoryError)):
            batcher.submit(["a"], broken).result(WAIT)
        assert batcher.submit(["b"], seen).result(WAIT)


class FailingObserver(NoObserver):
    """Raises once in one of its methods."""

    def __init__(self, method: str) -> None:
        self.left = [method]

    def _told(self, method: str) -> None:
        if method in self.left:
            self.left.remove(method)
            raise PanicError

    def request_waited(self, seconds: float) -> None:
        self._told("request_waited")

    def batch_ran(self, windows: int, tokens: int, seconds: float) -> None:
        self._told("batch_ran")


def test_an_observer_that_fails_before_a_batch() -> None:
    with running(FakeEngine(), observer=FailingObserver("request_waited")) as batcher:
        with pytest.raises(RuntimeError, match="The batcher met a PanicError"):
            batcher.submit(["a"], seen).result(WAIT)
        assert batcher.submit(["b"], seen).result(WAIT)
        assert batcher.texts_in_hand == 0


def test_an_observer_that_fails_after_a_batch(caplog: pytest.LogCaptureFixture) -> None:
    # One request alone: a second one could be in hand by then, and would hear of it.
    with running(FakeEngine(), observer=FailingObserver("batch_ran")) as batcher:
        assert batcher.submit(["a"], seen).result(WAIT)
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [PanicError]


def test_closing_returns_after_failures() -> None:
    engine = Failing("run panics")
    batcher = DynamicBatcher(engine, BatchingSettings(workers=2))
    futures = [batcher.submit([text], seen) for text in ("bad", "good", "bad")]
    batcher.close()
    assert all(future.done() for future in futures)
