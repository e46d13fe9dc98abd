"""Requests that wait, served in turn: one window of each, then one window of each again."""

from __future__ import annotations

from collections import deque

from serve.batching.work import Piece, Work


class FairQueue:
    """Deals out the windows of waiting requests in turn, so that a request of a thousand texts delays nobody's one.

    Round robin by window: with n requests waiting, each gets every n-th place (Nagle, RFC 970, 1985). Not safe for
    threads by itself.
    """

    def __init__(self) -> None:
        self._turns: deque[Work] = deque()

    def __len__(self) -> int:
        return len(self._turns)

    def put(self, work: Work) -> None:
        """Let a request wait for its first turn."""
        self._turns.append(work)

    @property
    def oldest(self) -> float | None:
        """When the longest waiting request that has not begun arrived; `None` if all have."""
        return min((work.arrived for work in self._turns if not work.started), default=None)

    @property
    def has_ready(self) -> bool:
        """Whether a window waits to be taken."""
        return any(work.ready and not work.exhausted for work in self._turns)

    @property
    def waiting(self) -> int:
        """Windows that wait to be taken, and texts that are yet to be cut into some."""
        return sum(work.waiting for work in self._turns)

    def uncut_texts(self, characters: int, texts: int) -> list[tuple[Work, int]]:
        """Hand out texts that are to be encoded next, one of each request in turn.

        Args:
            characters: Stop when the texts have so many together; at least one text is handed out.
            texts: Stop at so many texts.
        """
        chosen: list[tuple[Work, int]] = []
        total = 0
        waiting = deque(work for work in self._turns if not work.ready)
        while waiting and total < characters and len(chosen) < texts:
            work = waiting.popleft()
            text = work.next_uncut()
            if text is not None:
                chosen.append((work, text))
                total += len(work.texts[text])
                waiting.append(work)
        return chosen

    def take(self, tokens: int, windows: int, *, at_least_one: bool) -> list[Piece]:
        """Take windows in turn until the next one would exceed a number of tokens.

        Args:
            tokens: Room, in tokens.
            windows: How many to take at most.
            at_least_one: Whether to take a window that is longer than the room, if it is the first.
        """
        taken: list[Piece] = []
        unready: list[Work] = []
        while self._turns:
            work = self._turns.popleft()
            if work.exhausted:
                continue
            if not work.ready:
                unready.append(work)
                continue
            too_long = len(work.peek().ids) > tokens and (taken or not at_least_one)
            if too_long or len(taken) == windows:
                self._turns.appendleft(work)
                break
            piece = work.take()
            tokens -= len(piece.ids)
            taken.append(piece)
            if not work.exhausted:
                self._turns.append(work)
        self._turns.extendleft(reversed(unready))
        return taken
