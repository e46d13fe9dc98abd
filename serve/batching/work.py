"""A request while the batcher has it: which of its texts are cut, which windows wait, and what is known."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass
from typing import Any

import numpy as np

from serve.batching.engine import Logits
from serve.batching.window_cache import WindowCache
from serve.windows import Encoded, Ids

Finish = Callable[[int, Encoded, Logits], Any]
"""Makes a text's answer from its position in the request, its windows and their logits; runs in a batcher's thread."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One window of one text of a request."""

    work: Work
    text: int
    window: int
    ids: Ids


class Work:
    """A request: its texts, the answers that are ready, and the future that gets them all.

    The batcher calls `add_encoded` and `take` from the thread that forms a batch, `record` from the thread that ran it.
    """

    def __init__(
        self, texts: Sequence[str], finish: Finish, arrived: float, cache: WindowCache | None = None, owner: str = ""
    ) -> None:
        self.texts = texts
        self.arrived = arrived
        self.started = False
        self.characters = sum(map(len, texts))
        self.future: Future[list[Any]] = Future()
        self._finish = finish
        self._cache = cache
        self._owner = owner
        self._uncut = 0
        self._pieces: deque[Piece] = deque()
        self._encoded: dict[int, Encoded] = {}
        self._rows: dict[int, list[Logits | None]] = {}
        self._missing: dict[int, int] = {}
        self._answers: list[Any] = [None] * len(texts)
        self._unanswered = len(texts)
        self._lock = threading.Lock()

    @property
    def ready(self) -> bool:
        """Whether a window waits to be taken."""
        return bool(self._pieces)

    @property
    def waiting(self) -> int:
        """Windows that wait to be taken, and texts that are yet to be cut; none if nobody waits for the answer."""
        return 0 if self.future.done() else len(self._pieces) + len(self.texts) - self._uncut

    @property
    def exhausted(self) -> bool:
        """Whether every window of every text has been taken, or nobody waits for the answer."""
        return self.future.done() or (not self._pieces and self._uncut == len(self.texts))

    def next_uncut(self) -> int | None:
        """Return the position of a text that is yet to be encoded, and count it as handed out."""
        if self._uncut == len(self.texts) or self.future.done():
            return None
        self._uncut += 1
        return self._uncut - 1

    def add_encoded(self, text: int, encoded: Encoded) -> None:
        """Take in the windows of a text; those whose logits are known need not run."""
        known = [self._known(window) for window in encoded.windows]
        with self._lock:
            self._encoded[text] = encoded
            self._rows[text] = known
            self._missing[text] = sum(row is None for row in known)
        if not self._missing[text]:
            self._answer(text)
            return
        self._pieces.extend(
            Piece(self, text, number, window)
            for number, (window, row) in enumerate(zip(encoded.windows, known, strict=True))
            if row is None
        )

    def peek(self) -> Piece:
        """Return the window that is next, and leave it."""
        return self._pieces[0]

    def take(self) -> Piece:
        """Return the window that is next, and count it as taken."""
        return self._pieces.popleft()

    def record(self, piece: Piece, row: Logits) -> None:
        """Take in the logits [columns] of a window, and answer when they were the last that was missing."""
        if self._cache is not None:
            self._cache.put(piece.ids, row, self._owner)
        with self._lock:
            self._rows[piece.text][piece.window] = row
            self._missing[piece.text] -= 1
            complete = self._missing[piece.text] == 0
        if complete:
            self._answer(piece.text)

    def fail(self, error: Exception) -> None:
        """Give up on the request."""
        try:
            self.future.set_exception(error)
        except InvalidStateError:
            return  # nobody waits for it any more, or another batch has failed it already

    def _known(self, window: Ids) -> Logits | None:
        return None if self._cache is None else self._cache.get(window, self._owner)

    def _answer(self, text: int) -> None:
        if self.future.done():
            return
        encoded, rows = self._encoded.pop(text), self._rows.pop(text)
        logits = np.stack([row for row in rows if row is not None]) if rows else np.empty((0, 0), dtype=np.float32)
        try:
            answer = self._finish(text, encoded, logits)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller hears of it and the thread lives on
            self.fail(error)
            return
        with self._lock:
            self._answers[text] = answer
            self._unanswered -= 1
            complete = self._unanswered == 0
        if complete:
            try:
                self.future.set_result(self._answers)
            except InvalidStateError:
                return  # cancelled in the meantime: nobody waits
