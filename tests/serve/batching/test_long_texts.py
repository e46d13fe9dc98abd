"""Work that takes long beside the batches delays nobody while another worker is there, and has its turn in any case."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from serve.batching.engine import Logits
from serve.windows import Encoded
from tests.serve.batching.fake_engine import FakeEngine
from tests.serve.batching.running import WAIT, running, seen, what

LONG = "long" * 100
"""Beyond what is tokenised for a batch of 16 tokens."""


class SlowTokeniser(FakeEngine):
    """Waits for a gate with long texts."""

    def __init__(self) -> None:
        super().__init__()
        self.began = threading.Event()
        self.go_on = threading.Event()

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        if LONG in texts:
            assert list(texts) == [LONG]
            self.began.set()
            assert self.go_on.wait(WAIT)
        return super().encode_all(texts)


def test_a_small_request_is_answered_while_a_long_text_is_tokenised() -> None:
    engine = SlowTokeniser()
    with running(engine, workers=2, batch_tokens=16) as batcher:
        long = batcher.submit([LONG, "short"], seen)
        assert engine.began.wait(WAIT)
        assert batcher.submit(["small"], seen).result(WAIT) == [(0, *what("small", 8))]
        assert not long.done()
        engine.go_on.set()
        assert long.result(WAIT) == [(0, *what(LONG, 8)), (1, *what("short", 8))]


def test_two_long_texts_are_not_tokenised_at_once() -> None:
    engine = SlowTokeniser()
    with running(engine, workers=2, batch_tokens=16) as batcher:
        first, second = batcher.submit([LONG], seen), batcher.submit([LONG], seen)
        assert engine.began.wait(WAIT)
        assert batcher.submit(["small"], seen).result(WAIT)  # a worker is free for it
        engine.go_on.set()
        assert first.result(WAIT) == second.result(WAIT) == [(0, *what(LONG, 8))]


def test_with_one_worker_others_have_their_turn_between_two_long_texts() -> None:
    engine = SlowTokeniser()
    with running(engine, batch_tokens=16) as batcher:
        long = [batcher.submit([LONG], seen) for _ in range(4)]
        assert engine.began.wait(WAIT)
        small = batcher.submit(["small"], seen)
        engine.go_on.set()
        assert small.result(WAIT)
        for each in long:
            assert each.result(WAIT) == [(0, *what(LONG, 8))]
    order = [text for text in engine.encoded if text in {LONG, "small"}]
    assert order.index("small") <= 1


def test_a_cancelled_long_text_is_not_run() -> None:
    engine = SlowTokeniser()
    with running(engine, workers=2, batch_tokens=16) as batcher:
        long = batcher.submit([LONG], seen)
        assert engine.began.wait(WAIT)
        assert long.cancel()
        engine.go_on.set()
        assert batcher.submit(["small"], seen).result(WAIT)
    assert engine.batches == [["small"]]


def test_closing_waits_for_a_long_text() -> None:
    engine = SlowTokeniser()
    with running(engine, workers=2, batch_tokens=16) as batcher:
        long = batcher.submit([LONG], seen)
        assert engine.began.wait(WAIT)
        closing = threading.Thread(target=batcher.close)
        closing.start()
        engine.go_on.set()
        closing.join(WAIT)
        assert not closing.is_alive()
        assert long.result(0) == [(0, *what(LONG, 8))]


def test_answers_of_texts_that_need_no_run_delay_no_one() -> None:
    began, go_on = threading.Event(), threading.Event()

    def slow(position: int, encoded: Encoded, logits: Logits) -> None:
        began.set()
        assert go_on.wait(WAIT)

    with running(FakeEngine(), workers=2) as batcher:
        empty = batcher.submit(["", ""], slow)
        assert began.wait(WAIT)
        assert batcher.submit(["small"], seen).result(WAIT)
        go_on.set()
        empty.result(WAIT)
