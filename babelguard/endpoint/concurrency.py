"""Many requests at once behind a plain iterator: a private event loop in a thread, answers in order."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar

InputT = TypeVar("InputT")
OutputT = TypeVar("OutputT")

WINDOW = 4
"""Jobs handed to the loop per running one, so that a slow first job does not leave the others idle."""


class LoopThread:
    """An event loop of its own, alive inside a `with` block; whatever still runs at the end is cancelled."""

    def __enter__(self) -> LoopThread:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="babelguard-endpoint", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.submit(_cancel_others()).result()
            self.submit(self._loop.shutdown_asyncgens()).result()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def submit(self, work: Coroutine[Any, Any, OutputT]) -> Future[OutputT]:
        """Start a coroutine in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def in_order(
        self, job: Callable[[InputT], Awaitable[OutputT]], inputs: Iterable[InputT], width: int
    ) -> Iterator[OutputT]:
        """Yield the outputs of `job` in the inputs' order, with at most `width` jobs running at once.

        Inputs are taken as needed: at most `WINDOW` times `width` of them are ahead of the output that is yielded next.

        Raises:
            Exception: What a job raised, when its turn comes.
        """
        running = asyncio.Semaphore(width)

        async def bounded(one: InputT) -> OutputT:
            async with running:
                return await job(one)

        ahead: deque[Future[OutputT]] = deque()
        for one in inputs:
            ahead.append(self.submit(bounded(one)))
            while ahead and (len(ahead) >= WINDOW * width or ahead[0].done()):
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
