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

    The batcher calls `take` from the one thread that forms a batch, `add_encoded` from the one that encoded the text,
    `record` and `answer` from any that ran a window.
    """

    def __init__(
        self, texts: Sequence[str], finish: Finish, arrived: float, cache: WindowCache | None = None, owner: str = ""
    ) -> None:
        self.texts = tuple(texts)
        self.arrived = arrived
        self.started = False
        self.characters = sum(map(len, self.texts))
        self.future: Future[list[Any]] = Future()
        self._finish = finish
        self._cache = cache
        self._owner = owner
        self._handed_out = 0
        self._encoded_texts = 0
        self._pieces: deque[Piece] = deque()
        self._encoded: dict[int, Encoded] = {}
        self._rows: dict[int, list[Logits | None]] = {}
        self._missing: dict[int, int] = {}
        self._answers: list[Any] = [None] * len(self.texts)
        self._unanswered = len(self.texts)
        self._lock = threading.Lock()

    @property
    def ready(self) -> bool:
        """Whether a window waits to be taken."""
        return bool(self._pieces)

    @property
    def waiting(self) -> int:
        """Windows that wait to be taken, and texts that are yet to be cut; none if nobody waits for the answer."""
        return 0 if self.future.done() else len(self._pieces) + len(self.texts) - self._handed_out

    @property
    def exhausted(self) -> bool:
        """Whether every window of every text has been taken, or nobody waits for the answer."""
        return self.future.done() or (self._encoded_texts == len(self.texts) and not self._pieces)

    @property
    def next_length(self) -> int | None:
        """Characters of the text that is to be encoded next; `None` if all have been handed out, or nobody waits."""
        if self._handed_out == len(self.texts) or self.future.done():
            return None
        return len(self.texts[self._handed_out])

    def hand_out(self) -> int:
        """Return the position of the text that is to be encoded next, and count it as handed out."""
        self._handed_out += 1
        return self._handed_out - 1

    def add_encoded(self, text: int, encoded: Encoded) -> bool:
        """Take in the windows of a text; those whose logits are known need not run.

        Returns:
            Whether all are known, so that the text can be answered.
        """
        known = [self._known(window) for window in encoded.windows]
        missing = [
            Piece(self, text, number, window)
            for number, (window, row) in enumerate(zip(encoded.windows, known, strict=True))
            if row is None
        ]
        with self._lock:
            self._encoded[text] = encoded
            self._rows[text] = known
            self._missing[text] = len(missing)
            self._pieces.extend(missing)
            self._encoded_texts += 1
        return not missing

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
            self.answer(piece.text)

    def fail(self, error: BaseException) -> None:
        """Give up on the request.

        What is no `Exception`, such as a panic of a library in Rust, is told by its type alone: a caller must not take
        it for its own interruption, and its message may hold a text.
        """
        if not isinstance(error, Exception):
            error = RuntimeError(f"The batcher met a {type(error).__name__}.")
        try:
            self.future.set_exception(error)
        except InvalidStateError:
            return  # nobody waits for it any more, or another batch has failed it already

    def answer(self, text: int) -> None:
        """Make the answer of a text whose windows are all known, and give the answers out when it was the last."""
        if self.future.done():
            return
        encoded, rows = self._encoded.pop(text), self._rows.pop(text)
        try:
            logits = np.stack([row for row in rows if row is not None]) if rows else np.empty((0, 0), dtype=np.float32)
            answer = self._finish(text, encoded, logits)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the caller hears of it and the thread lives on
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

    def _known(self, window: Ids) -> Logits | None:
        return None if self._cache is None else self._cache.get(window, self._owner)
