from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serve.batching import BatcherClosedError, BatchingSettings, DynamicBatcher, OverloadedError
from serve.batching.engine import Logits
from serve.batching.packing import pack
from serve.batching.window_cache import WindowCache
from serve.windows import Encoded
from tests.serve.batching.fake_engine import FakeEngine
from tests.serve.batching.running import WAIT, running, seen, what


@settings(deadline=None, max_examples=40)
@given(
    requests=st.lists(st.lists(st.text("abcdé漢", max_size=30), max_size=5), max_size=8),
    workers=st.integers(1, 3),
    batch_tokens=st.integers(1, 40),
)
def test_every_request_gets_the_answers_of_its_own_texts_in_order(
    requests: list[list[str]], workers: int, batch_tokens: int
) -> None:
    engine = FakeEngine(window=8)
    with running(engine, workers=workers, batch_tokens=batch_tokens) as batcher:
        futures = [batcher.submit(texts, seen) for texts in requests]
        answers = [future.result(WAIT) for future in futures]
        assert batcher.texts_in_hand == 0
    for texts, answer in zip(requests, answers, strict=True):
        assert [(spans, rows) for _, spans, rows in answer] == [what(text, 8) for text in texts]
        assert [position for position, _, _ in answer] == list(range(len(texts)))
    run = sorted(window for batch in engine.batches for window in batch)
    assert run == sorted(t[s : s + 8] for texts in requests for t in texts for s in range(0, len(t), 8))
    for batch in engine.batches:
        assert len(batch) == 1 or sum(map(len, batch)) <= batch_tokens


def test_a_huge_request_does_not_starve_a_small_one() -> None:
    engine = FakeEngine(held=True)
    with running(engine, batch_tokens=16) as batcher:
        huge = batcher.submit(["x" * 8 * 500], seen)
        assert engine.running.wait(WAIT)
        small = batcher.submit(["small"], seen)
        engine.gate.set()
        assert small.result(WAIT)
        huge.result(WAIT)
    first = next(number for number, batch in enumerate(engine.batches) if "small" in batch)
    assert first <= 2  # the batch that ran already, and then the turn of the small one
    assert len(engine.batches) > 200


def test_many_small_texts_of_one_request_do_not_starve_another() -> None:
    engine = FakeEngine(held=True)
    with running(engine, batch_tokens=16, queue_texts=10_000) as batcher:
        huge = batcher.submit(["y" * 8] * 2000, seen)
        assert engine.running.wait(WAIT)
        small = batcher.submit(["small"], seen)
        engine.gate.set()
        small.result(WAIT)
        huge.result(WAIT)
    assert next(number for number, batch in enumerate(engine.batches) if "small" in batch) <= 2


def test_concurrent_requests_share_a_batch() -> None:
    engine = FakeEngine(held=True)
    with running(engine, batch_tokens=64) as batcher:
        first = batcher.submit(["first"], seen)
        assert engine.running.wait(WAIT)
        rest = [batcher.submit([f"req-{n}"], seen) for n in range(8)]
        engine.gate.set()
        for future in [first, *rest]:
            future.result(WAIT)
    assert engine.batches[1] == [f"req-{n}" for n in range(8)]


def test_a_worker_takes_its_share_of_what_waits() -> None:
    engine = FakeEngine(held=True)
    with running(engine, batch_tokens=64, workers=2) as batcher:
        first = batcher.submit(["first"], seen)
        assert engine.running.wait(WAIT)
        engine.running.clear()
        second = batcher.submit(["second"], seen)
        assert engine.running.wait(WAIT)  # both workers are busy now
        rest = [batcher.submit([f"req-{n}"], seen) for n in range(8)]
        engine.gate.set()
        for future in [first, second, *rest]:
            future.result(WAIT)
    assert sorted(map(len, engine.batches), reverse=True) == [4, 2, 1, 1, 1, 1]


def test_a_full_queue_refuses_and_says_when_to_ask_again() -> None:
    engine = FakeEngine(held=True)
    with running(engine, queue_texts=3) as batcher:
        accepted = [batcher.submit(["a"], seen), batcher.submit(["b", "c"], seen)]
        with pytest.raises(OverloadedError) as refused:
            batcher.submit(["d"], seen)
        assert refused.value.retry_after_seconds >= 1
        engine.gate.set()
        for future in accepted:
            future.result(WAIT)
        assert batcher.submit(["d"], seen).result(WAIT)


@pytest.mark.parametrize("texts", [["a"] * 4, ["a" * 11]])
def test_a_request_beyond_the_whole_queue_is_not_told_to_ask_again(texts: list[str]) -> None:
    with running(FakeEngine(), queue_texts=3, queue_characters=10) as batcher:
        with pytest.raises(ValueError, match="the queue holds 3 texts and 10 characters; send it in parts"):
            batcher.submit(texts, seen)
        assert batcher.texts_in_hand == 0


def test_the_queue_is_bounded_in_characters_too() -> None:
    engine = FakeEngine(held=True)
    with running(engine, queue_characters=10) as batcher:
        batcher.submit(["a" * 10], seen)
        with pytest.raises(OverloadedError):
            batcher.submit(["b"], seen)


def test_cancelling_takes_the_windows_that_have_not_run_out_of_the_queue() -> None:
    engine = FakeEngine(held=True)
    with running(engine, batch_tokens=8) as batcher:
        first = batcher.submit(["first"], seen)
        assert engine.running.wait(WAIT)
        gone = batcher.submit(["gone" * 40] * 3, seen)
        kept = batcher.submit(["kept"], seen)
        assert gone.cancel()
        assert batcher.texts_in_hand == 2
        engine.gate.set()
        first.result(WAIT)
        kept.result(WAIT)
        with pytest.raises(CancelledError):
            gone.result(WAIT)
    assert not any("gone" in window for batch in engine.batches for window in batch)


def test_a_cancelled_coroutine_cancels_its_request() -> None:
    engine = FakeEngine(held=True)

    async def client(batcher: DynamicBatcher) -> None:
        task = asyncio.ensure_future(batcher.rate(["text"], seen))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with running(engine) as batcher:
        asyncio.run(client(batcher))
        assert batcher.texts_in_hand == 0


def test_closing_finishes_what_was_accepted() -> None:
    engine = FakeEngine(held=True)
    batcher = DynamicBatcher(engine, BatchingSettings(batch_tokens=8, maximum_wait_ms=1000, workers=2))
    accepted = [batcher.submit([f"{n}" * 20], seen) for n in range(10)]
    closing = threading.Thread(target=batcher.close)
    closing.start()
    while not batcher.closed:
        pass
    with pytest.raises(BatcherClosedError):
        batcher.submit(["late"], seen)
    engine.gate.set()
    closing.join(WAIT)
    assert [(s, r) for f in accepted for _, s, r in f.result(0)] == [what(f"{n}" * 20, 8) for n in range(10)]


@pytest.mark.parametrize(("bad", "message"), [("!encode", "cannot encode"), ("!run", "cannot run")])
def test_a_text_that_the_engine_cannot_take_fails_its_own_request(bad: str, message: str) -> None:
    engine = FakeEngine(held=True)
    with running(engine, batch_tokens=8) as batcher:
        first = batcher.submit(["first"], seen)
        assert engine.running.wait(WAIT)
        failing = batcher.submit([bad], seen)
        good = batcher.submit(["goodtext"], seen)
        engine.gate.set()
        first.result(WAIT)
        assert good.result(WAIT)
        with pytest.raises(RuntimeError, match=message):
            failing.result(WAIT)
        assert batcher.texts_in_hand == 0


def test_an_answer_that_cannot_be_made_fails_its_own_request() -> None:
    def broken(position: int, encoded: Encoded, logits: Logits) -> None:
        raise ValueError("no answer")

    with running(FakeEngine()) as batcher:
        failing, good = batcher.submit(["a"], broken), batcher.submit(["b"], seen)
        with pytest.raises(ValueError, match="no answer"):
            failing.result(WAIT)
        assert good.result(WAIT)


def test_a_text_that_grows_has_only_its_new_windows_run() -> None:
    engine, cache = FakeEngine(window=8), WindowCache(100)
    text = "".join(chr(0x4E00 + n) for n in range(100))
    with running(engine) as batcher:
        for length in range(8, 101, 8):
            grown = text[:length]
            assert batcher.submit([grown], seen, cache=cache).result(WAIT) == [(0, *what(grown, 8))]
    run = [window for batch in engine.batches for window in batch]
    assert len(run) == len(set(run)) == 12


def test_owners_do_not_see_each_others_windows() -> None:
    engine, cache = FakeEngine(), WindowCache(100)
    with running(engine) as batcher:
        for owner in ("a", "b", "a"):
            batcher.submit(["same"], seen, cache=cache, owner=owner).result(WAIT)
    assert engine.batches == [["same"], ["same"]]


def test_the_cache_forgets_what_was_not_used_for_longest() -> None:
    cache = WindowCache(2)
    first, second, third = (np.array([n], dtype=np.int64) for n in range(3))
    for window in (first, second):
        cache.put(window, np.zeros(1, dtype=np.float32))
    cache.get(first)
    cache.put(third, np.zeros(1, dtype=np.float32))
    assert cache.get(second) is None
    assert cache.get(first) is not None
    assert len(cache) == 2


def cost(runs: list[list[int]], lengths: list[int], run_tokens: int) -> int:
    return sum(run_tokens + len(run) * max(lengths[place] for place in run) for run in runs)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.integers(0, 60))
def test_packing_costs_least_of_all_ways(lengths: list[int], run_tokens: int) -> None:
    runs = pack(lengths, run_tokens)
    assert sorted(place for run in runs for place in run) == list(range(len(lengths)))
    assert cost(runs, lengths, run_tokens) == min(cost(way, lengths, run_tokens) for way in partitions(len(lengths)))


def partitions(count: int) -> Iterator[list[list[int]]]:
    """Yield all ways to split `count` windows into runs."""
    if count == 0:
        yield []
        return
    for smaller in partitions(count - 1):
        yield [*smaller, [count - 1]]
        for number in range(len(smaller)):
            yield [[*run, count - 1] if n == number else run for n, run in enumerate(smaller)]
