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
        return min((work.arrived for work in self._turns if not work.started and not work.exhausted), default=None)

    @property
    def has_ready(self) -> bool:
        """Whether a window waits to be taken."""
        return any(work.ready and not work.exhausted for work in self._turns)

    @property
    def waiting(self) -> int:
        """Windows that wait to be taken, and texts that are yet to be cut into some."""
        return sum(work.waiting for work in self._turns)

    def has_uncut(self, longest: int) -> bool:
        """Whether a text of so many characters at most is to be encoded next."""
        return any(_within(work, longest) for work in self._turns)

    def uncut_texts(self, characters: int, texts: int, longest: int) -> list[tuple[Work, int]]:
        """Hand out texts that are to be encoded next, one of each request in turn.

        Args:
            characters: Stop when the texts have so many together.
            texts: Stop at so many texts.
            longest: Pass over a request whose next text has more characters.
        """
        chosen: list[tuple[Work, int]] = []
        total = 0
        waiting = deque(work for work in self._turns if not work.ready)
        while waiting and total < characters and len(chosen) < texts:
            work = waiting.popleft()
            if _within(work, longest):
                text = work.hand_out()
                chosen.append((work, text))
                total += len(work.texts[text])
                waiting.append(work)
        return chosen

    def long_text(self, longest: int) -> tuple[Work, int] | None:
        """Hand out the first text of more characters that is to be encoded next, if there is one."""
        for work in self._turns:
            if _beyond(work, longest):
                return work, work.hand_out()
        return None

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


def _within(work: Work, longest: int) -> bool:
    length = work.next_length
    return length is not None and length <= longest and not work.ready


def _beyond(work: Work, longest: int) -> bool:
    length = work.next_length
    return length is not None and length > longest and not work.ready
