"""Turns the texts that wait into windows: short ones while a batch is formed, long ones beside it."""

from __future__ import annotations

import threading
from typing import Final

from serve.batching.engine import Engine
from serve.batching.fair_queue import FairQueue
from serve.batching.work import Work

TEXTS_TOGETHER: Final = 256
"""Texts that are encoded together, at most."""

_CHARACTERS_PER_TOKEN: Final = 6
"""Characters that are encoded for each token of room in a batch: some more than a token mostly has."""

Place = tuple[Work, int]
"""A request, and the position of one of its texts."""


class Encoding:
    """Encodes the texts of a queue.

    A text is long if it has more characters than are encoded for a whole batch.
    """

    def __init__(self, engine: Engine, queue: FairQueue, changed: threading.Condition, batch_tokens: int) -> None:
        """Begin with nothing encoded.

        Args:
            engine: What encodes.
            queue: Where texts wait.
            changed: The queue's lock, and whom to tell that windows have come.
            batch_tokens: Tokens in a batch.
        """
        self._engine = engine
        self._queue = queue
        self._changed = changed
        self._longest = batch_tokens * _CHARACTERS_PER_TOKEN
        self._long_runs = False
        self._long_was_last = False

    @property
    def has_more(self) -> bool:
        """Whether `encode_ahead` has something to do; to be asked with the lock held, as what follows."""
        return self._queue.has_uncut(self._longest)

    @property
    def elsewhere(self) -> bool:
        """Whether a request in the queue waits for a long text that another worker encodes."""
        return len(self._queue) > 0 and self._long_runs

    def take_long(self) -> Place | None:
        """Return a long text that is to be encoded, if it is its turn: one at a time, and others' texts between two."""
        if self._long_runs or (self._long_was_last and (self._queue.has_ready or self.has_more)):
            return None
        found = self._queue.long_text(self._longest)
        self._long_runs = found is not None
        return found

    def encode_long(self, work: Work, text: int) -> list[Place]:
        """Encode a long text; return it if it can be answered at once."""
        try:
            return self._encode_alone(work, text)
        finally:
            with self._changed:
                self._long_runs = False
                self._long_was_last = True
                self._changed.notify_all()

    def encode_ahead(self, room: int) -> list[Place]:
        """Encode short texts for a batch with room for so many tokens; return those that can be answered at once."""
        with self._changed:
            chosen = self._queue.uncut_texts(room * _CHARACTERS_PER_TOKEN, TEXTS_TOGETHER, self._longest)
            self._long_was_last = False
        if not chosen:
            return []
        try:
            encoded = self._engine.encode_all([work.texts[text] for work, text in chosen])
            pairs = list(zip(chosen, encoded, strict=True))
        except BaseException:  # noqa: BLE001 - one text must not take the others with it; each is tried alone
            return [known for place in chosen for known in self._encode_alone(*place)]
        return [(work, text) for (work, text), each in pairs if work.add_encoded(text, each)]

    def _encode_alone(self, work: Work, text: int) -> list[Place]:
        try:
            (encoded,) = self._engine.encode_all([work.texts[text]])
        except BaseException as error:  # noqa: BLE001 - its own request hears of it
            work.fail(error)
            return []
        return [(work, text)] if work.add_encoded(text, encoded) else []
