"""Jobs run at once and come out in order, whatever happens."""

from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelguard.endpoint.concurrency import WINDOW, LoopThread


@given(st.lists(st.integers(0, 3), max_size=40), st.integers(1, 5))
@settings(deadline=None, max_examples=30)
def test_outputs_keep_the_inputs_order_and_width(naps, width):
    running, most = 0, 0

    async def job(number_and_nap):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(number_and_nap[1] / 1000)
        running -= 1
        return number_and_nap[0]

    with LoopThread() as loop:
        assert list(loop.in_order(job, enumerate(naps), width)) == list(range(len(naps)))
    assert most <= width


def test_inputs_are_taken_as_needed():
    taken = 0

    def inputs():
        nonlocal taken
        for number in range(1000):
            taken += 1
            yield number

    async def job(number):
        await asyncio.sleep(0.001)
        return number

    with LoopThread() as loop:
        stream = loop.in_order(job, inputs(), 2)
        next(stream)
        assert taken <= 2 * WINDOW
        stream.close()


def test_a_failing_job_raises_in_its_turn_and_the_rest_is_cancelled():
    ended = []
    last_runs = asyncio.Event()

    async def job(number):
        if number == 1:
            await last_runs.wait()
            raise ValueError("one")
        if number == 2:
            last_runs.set()
        try:
            await asyncio.sleep(0 if number == 0 else 60)
        finally:
            ended.append(number)
        return number

    with LoopThread() as loop:
        stream = loop.in_order(job, range(3), 3)
        assert next(stream) == 0
        with pytest.raises(ValueError, match="one"):
            next(stream)
    assert sorted(ended) == [0, 2]
    assert not [thread for thread in threading.enumerate() if thread.name == "babelguard-endpoint"]
