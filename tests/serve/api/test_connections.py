"""Connections that only stand there, and more requests than there may be."""

from __future__ import annotations

import socket
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest

from serve.api.connections import OpenConnections, connections_that_fit
from tests.serve.api.conftest import ServerProcess, serving
from tests.serve.api.raw_http import answers_of, connection, read_all, read_status, request_head


class Fake:
    def __init__(self) -> None:
        self.dropped = False

    def drop(self) -> None:
        self.dropped = True


def test_the_connection_that_is_idle_for_longest_goes_first() -> None:
    connections = OpenConnections(3)
    first, second, third, fourth, fifth, sixth = (Fake() for _ in range(6))
    assert all(map(connections.admit, (first, second, third)))
    connections.is_busy(first)
    assert connections.admit(fourth)
    assert second.dropped
    connections.is_idle(first)  # since now, so that third has been idle for longer
    assert connections.admit(fifth)
    assert (first.dropped, third.dropped, len(connections)) == (False, True, 3)
    for each in (first, fourth, fifth):
        connections.is_busy(each)
    assert not connections.admit(sixth)
    assert len(connections) == 4
    assert connections.admit(third)  # as a new one: the one that was turned away goes
    assert sixth.dropped
    connections.forget(third)
    connections.is_idle(sixth)  # it was dropped, and stays forgotten
    assert len(connections) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on descriptors")
def test_no_more_connections_than_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    limits = [(1024, 1_000_000)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, new: limits.append(new))
    assert connections_that_fit(4000) == 4000
    assert limits[-1][0] > 5000
    limits[:] = [(1024, 4096)]
    assert 2000 < connections_that_fit(4000) < 4000
    assert limits[-1] == (4096, 4096)
    limits[:] = [(256, 256)]
    assert 1 <= connections_that_fit(4000) <= 128


def test_idle_connections_keep_nobody_out(tiny: Path) -> None:
    options = ["limits.connections=20", "threads=1", "limits.idle_seconds=600"]
    with serving(str(tiny), *[part for each in options for part in ("--set", each)]) as server, ExitStack() as stack:
        idle = [stack.enter_context(connection(server)) for _ in range(50)]
        for path in ("/healthz", "/readyz", "/metrics"):
            assert httpx2.get(f"{server.url}{path}", timeout=30).status_code == 200
        assert httpx2.post(f"{server.url}/v1/rate", json={"input": "tea"}, timeout=30).status_code == 200
        assert read_all(idle[0]) == b""  # closed, since it was the first


def two_requests_in_progress(server: ServerProcess, stack: ExitStack) -> list[socket.socket]:
    busy = [stack.enter_context(connection(server)) for _ in range(2)]
    for stream in busy:
        stream.sendall(request_head(16).replace(b"Host: x", b"Host: x\r\nExpect: 100-continue"))
        assert b" 100 " in stream.recv(100)  # the server reads the body
    return busy


def test_where_every_connection_has_a_request_a_new_one_is_told(tiny: Path) -> None:
    options = ["limits.connections=2", "limits.body_seconds=600", "threads=1"]
    with serving(str(tiny), *[part for each in options for part in ("--set", each)]) as server, ExitStack() as stack:
        busy = two_requests_in_progress(server, stack)
        with connection(server) as late:
            ((status, headers, body),) = answers_of(read_all(late))
        assert (status, body["error"]["code"], headers["retry-after"]) == (503, "overloaded", "1")
        busy[0].sendall(b'{"input": "tea"}')
        assert read_status(busy[0]) == 200
        assert httpx2.get(f"{server.url}/healthz", timeout=30).status_code == 200


def test_too_many_requests_in_progress_are_refused_and_health_is_told(tiny: Path) -> None:
    options = ["limits.requests_at_once=2", "limits.body_seconds=600", "threads=1"]
    with serving(str(tiny), *[part for each in options for part in ("--set", each)]) as server, ExitStack() as stack:
        busy = two_requests_in_progress(server, stack)
        refused = httpx2.post(f"{server.url}/v1/rate", json={"input": "tea"}, timeout=30)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "overloaded")
        assert int(refused.headers["retry-after"]) >= 1
        for path in ("/healthz", "/readyz", "/metrics"):
            assert httpx2.get(f"{server.url}{path}", timeout=30).status_code == 200
        busy[0].sendall(b'{"input": "tea"}')
        assert read_status(busy[0]) == 200
        assert httpx2.post(f"{server.url}/v1/rate", json={"input": "tea"}, timeout=30).status_code == 200
