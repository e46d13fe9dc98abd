"""The open connections of a server, of which the idlest make room for new ones."""

from __future__ import annotations

from typing import Protocol

BACKLOG = 1024
"""Connections that wait to be accepted, at most; as many may be accepted before one that is closed is gone."""

_RESERVED = BACKLOG + 256
"""Descriptors that are not for connections: what is accepted in one go, and the process's own files."""


class Connection(Protocol):
    """What is asked of a connection."""

    def drop(self) -> None:
        """Close at once; what was not yet sent is lost."""
        ...


class OpenConnections:
    """Knows which connections have a request in progress, and bounds the number of all. Used in the event loop alone.

    Connections cost a descriptor each whether they ask or not, so those who only hold one must not keep others out.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._busy: set[Connection] = set()
        self._idle: dict[Connection, None] = {}  # the one that has been idle for longest first

    def __len__(self) -> int:
        return len(self._busy) + len(self._idle)

    def admit(self, connection: Connection) -> bool:
        """Take in a new connection, which is idle, and drop the one that has been idle for longest if it is too many.

        Returns:
            Whether there is room. Without, every other connection has a request in progress, and this one is to be
            told so; it is the first to go.
        """
        room = len(self) < self._most or bool(self._idle)
        if len(self) >= self._most and self._idle:
            longest = next(iter(self._idle))
            del self._idle[longest]
            longest.drop()
        self._idle[connection] = None
        return room

    def is_busy(self, connection: Connection) -> None:
        """Note that a connection has a request in progress."""
        self._idle.pop(connection, None)
        self._busy.add(connection)

    def is_idle(self, connection: Connection) -> None:
        """Note that a connection has none any more; one that was dropped stays forgotten."""
        if connection in self._busy:
            self._busy.discard(connection)
            self._idle[connection] = None

    def forget(self, connection: Connection) -> None:
        """Note that a connection is closed."""
        self._busy.discard(connection)
        self._idle.pop(connection, None)


def connections_that_fit(wanted: int) -> int:
    """Return how many of so many connections this process has descriptors for.

    Its own limit is raised for them, up to what the system lets it have (``ulimit -Hn``).
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _RESERVED
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (ValueError, OSError):  # a container may forbid it
        most = soft
    return wanted if most >= needed else max(most - _RESERVED, most // 2, 1)
