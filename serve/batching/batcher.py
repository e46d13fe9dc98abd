"""The dynamic batcher: requests come from any thread or coroutine, batches run in worker threads.

One worker at a time forms a batch; the others run theirs meanwhile. The former tokenises what comes next, takes windows
in turn from all waiting requests until the batch is full or its oldest request has waited long enough, hands its place
to the next worker, and runs the batch. It takes one part of what still waits, of as many parts as there are workers, so
that all of them end together (guided self-scheduling, Polychronopoulos and Kuck, 1987). So batches grow with the load
by themselves, and no window waits while a worker is idle, but for the maximum wait.

Tokenising a text of many thousand characters takes longer than a batch. A worker does it outside its turn to form, one
such text at a time, so that with two workers or more it delays nobody.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar, cast

from serve.batching.encoding import TEXTS_TOGETHER, Encoding
from serve.batching.engine import Engine, Logits, NoObserver, Observer
from serve.batching.fair_queue import FairQueue
from serve.batching.packing import CPU_RUN_TOKENS, pack
from serve.batching.refusal import BatcherClosedError, OverloadedError
from serve.batching.settings import BatchingSettings
from serve.batching.window_cache import WindowCache
from serve.batching.work import Piece, Work
from serve.windows import Encoded

AnswerT = TypeVar("AnswerT")

_LOGGER = logging.getLogger("babelguard.serve.batching")

_CHARACTERS_PER_TOKEN = 3
"""What a token stands for in the estimate of waiting times; rather few than many."""

_LONGEST_RETRY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class _Turn:
    """What a worker does next.

    Attributes:
        pieces: Windows to run.
        known: Texts that need no run, to be answered.
        long: A long text to be encoded, and nothing else.
    """

    pieces: list[Piece] = field(default_factory=list)
    known: list[tuple[Work, int]] = field(default_factory=list)
    long: tuple[Work, int] | None = None


class DynamicBatcher:
    """Batches the windows of concurrent requests, in turn and within bounds."""

    def __init__(
        self, engine: Engine, settings: BatchingSettings | None = None, observer: Observer | None = None
    ) -> None:
        """Start the workers.

        Args:
            engine: What encodes and runs.
            settings: Bounds; what is unset is one worker, no wait, 1,024 tokens and what suits a CPU.
            observer: Who is told of waits and batches.
        """
        self._engine = engine
        self._settings = settings or BatchingSettings()
        self._batch_tokens = self._settings.batch_tokens or 1024
        self._observer = observer or NoObserver()
        self._queue = FairQueue()
        self._changed = threading.Condition()
        self._forming = threading.Lock()
        self._encoding = Encoding(engine, self._queue, self._changed, self._batch_tokens)
        self._in_hand: set[Work] = set()
        self._texts = 0
        self._characters = 0
        self._closed = False
        self._speed: float | None = None  # tokens a second of all workers together, the last batches counting most
        self._threads = [
            threading.Thread(target=self._work, name=f"batch-{number}", daemon=True)
            for number in range(self._settings.workers or 1)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def texts_in_hand(self) -> int:
        """Texts that are accepted and not yet answered."""
        return self._texts

    @property
    def closed(self) -> bool:
        """Whether nothing more is accepted."""
        return self._closed

    def submit(
        self,
        texts: Sequence[str],
        finish: Callable[[int, Encoded, Logits], AnswerT],
        *,
        cache: WindowCache | None = None,
        owner: str = "",
    ) -> Future[list[AnswerT]]:
        """Accept a request.

        Args:
            texts: Its texts.
            finish: Makes a text's answer from its position, its windows and their logits [windows, columns]; runs in a
                worker's thread.
            cache: Where the logits of windows are looked up first and kept.
            owner: Whose windows these are in the cache.

        Returns:
            The answers, in the texts' order. Cancelling it takes the request's remaining windows out of the queue.

        Raises:
            ValueError: The request is larger than the queue will ever be.
            OverloadedError: The queue is full.
            BatcherClosedError: The server is shutting down.
        """
        work = Work(texts, finish, time.monotonic(), cache, owner)
        with self._changed:
            self._check_room(work)
            if not work.texts:
                work.future.set_result([])
                return cast("Future[list[AnswerT]]", work.future)
            self._in_hand.add(work)
            self._texts += len(work.texts)
            self._characters += work.characters
            self._queue.put(work)
            self._changed.notify_all()
        work.future.add_done_callback(lambda _: self._leave(work))
        return cast("Future[list[AnswerT]]", work.future)

    async def rate(
        self,
        texts: Sequence[str],
        finish: Callable[[int, Encoded, Logits], AnswerT],
        *,
        cache: WindowCache | None = None,
        owner: str = "",
    ) -> list[AnswerT]:
        """Do what `submit` does, and wait for the answers; a cancelled coroutine cancels the request."""
        return await asyncio.wrap_future(self.submit(texts, finish, cache=cache, owner=owner))

    def close(self) -> None:
        """Accept nothing more, finish what was accepted, and return when it is done."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _check_room(self, work: Work) -> None:
        most, most_characters = self._settings.queue_texts, self._settings.queue_characters
        if len(work.texts) > most or work.characters > most_characters:
            raise ValueError(
                f"The request has {len(work.texts):,} texts of {work.characters:,} characters, and the queue holds "
                f"{most:,} texts and {most_characters:,} characters; send it in parts, or raise batching.queue_texts "
                "or batching.queue_characters."
            )
        if self._closed:
            raise BatcherClosedError
        if self._texts + len(work.texts) > most or self._characters + work.characters > most_characters:
            raise OverloadedError(self._retry_after())

    def _leave(self, work: Work) -> None:
        with self._changed:
            self._in_hand.discard(work)
            self._texts -= len(work.texts)
            self._characters -= work.characters
            self._changed.notify_all()

    def _retry_after(self) -> int:
        seconds = self._characters / _CHARACTERS_PER_TOKEN / self._speed if self._speed else 1.0
        return min(max(math.ceil(seconds), 1), _LONGEST_RETRY_SECONDS)

    def _work(self) -> None:
        while True:
            try:
                with self._forming:
                    turn = self._next_turn()
                if turn is None:
                    return
                self._do(turn)
            except BaseException as error:  # noqa: BLE001 - nobody may wait for a worker that fell, and it lives on
                self._fail_all(error)

    def _fail_all(self, error: BaseException) -> None:
        # Said here too: there may be no request in hand that hears of it.
        _LOGGER.error("a batching worker met an error outside its requests", exc_info=error)
        with self._changed:
            everybody = list(self._in_hand)
        for work in everybody:
            work.fail(error)

    def _do(self, turn: _Turn) -> None:
        known = turn.known if turn.long is None else self._encoding.encode_long(*turn.long)
        self._run(turn.pieces)
        for work, text in known:
            work.answer(text)

    def _next_turn(self) -> _Turn | None:
        """Return what is to be done next; `None` when there will be nothing any more."""
        with self._changed:
            while not len(self._queue):
                if self._closed:
                    return None
                self._changed.wait()
            if (long := self._encoding.take_long()) is not None:
                return _Turn(long=long)
            oldest = self._queue.oldest
        deadline = 0.0 if oldest is None else oldest + (self._settings.maximum_wait_ms or 0) / 1000
        turn = _Turn()
        room = self._batch_tokens
        while True:
            turn.known.extend(self._encoding.encode_ahead(room))
            with self._changed:
                share = math.ceil(self._queue.waiting / len(self._threads))
                taken = self._queue.take(room, share, at_least_one=not turn.pieces)
                turn.pieces.extend(taken)
                room -= sum(len(piece.ids) for piece in taken)
                if room <= 0 or self._queue.has_ready or len(turn.known) >= TEXTS_TOGETHER:
                    break
                if self._encoding.has_more:
                    continue
                if not turn.pieces and not turn.known:
                    if self._encoding.elsewhere:
                        self._changed.wait()
                    break
                left = deadline - time.monotonic()
                if left <= 0 or self._closed:
                    break
                self._changed.wait(left)
        self._note_waits(turn.pieces)
        return turn

    def _note_waits(self, pieces: Sequence[Piece]) -> None:
        now = time.monotonic()
        for piece in pieces:
            if not piece.work.started:
                piece.work.started = True
                self._observer.request_waited(now - piece.work.arrived)

    def _run(self, pieces: Sequence[Piece]) -> None:
        lengths = [len(piece.ids) for piece in pieces]
        for run in pack(lengths, self._settings.run_tokens or CPU_RUN_TOKENS):
            # A client that went away while the batch ran costs nothing more.
            wanted = [pieces[place] for place in run if not pieces[place].work.future.done()]
            if wanted:
                self._run_alike(wanted)

    def _run_alike(self, pieces: Sequence[Piece]) -> None:
        begin = time.monotonic()
        try:
            logits = self._engine.logits([piece.ids for piece in pieces])
            rows = list(zip(pieces, logits, strict=True))
        except BaseException as error:  # noqa: BLE001 - the requests hear of it, and the worker lives on
            for piece in pieces:
                piece.work.fail(error)
            return
        seconds = time.monotonic() - begin
        tokens = sum(len(piece.ids) for piece in pieces)
        for piece, row in rows:
            piece.work.record(piece, row)
        speed = len(self._threads) * tokens / max(seconds, 1e-6)
        self._speed = speed if self._speed is None else 0.9 * self._speed + 0.1 * speed
        self._observer.batch_ran(len(pieces), tokens, seconds)
