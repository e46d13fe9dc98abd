"""What comes before a request is one: bytes that are wrong, too many, or late."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from serve.api.protocol import MOST_HEADER_BYTES, MOST_HEADERS
from tests.serve.api.conftest import ServerProcess, eventually, serving
from tests.serve.api.raw_http import KEY, answers_of, connection, read_all, read_status, request_head

BODY = b'{"input": "tea"}'
WHOLE = request_head(len(BODY)) + BODY
CHUNKED = request_head(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")


@pytest.fixture(scope="module")
def server(tiny: Path) -> Iterator[ServerProcess]:
    short = ["limits.header_seconds=2", "limits.body_seconds=2", "limits.idle_seconds=1"]
    options = [part for each in (*short, "threads=1") for part in ("--set", each)]
    with serving(str(tiny), *options, environment={"BABELGUARD_API_KEYS": f"tests:{KEY}"}) as started:
        yield started
        assert "Traceback" not in started.output
        assert '"trace"' not in started.output


def answers_to(server: ServerProcess, pieces: Iterable[bytes]) -> list[tuple[int, dict[str, str], dict[str, Any]]]:
    """Send pieces, as far as they are taken, and read until the server has closed the connection."""
    with connection(server) as stream:
        with suppress(ConnectionError):
            for piece in pieces:
                stream.sendall(piece)
        return answers_of(read_all(stream))


def test_connections_that_do_not_get_on_are_cut_off(server: ServerProcess) -> None:
    with connection(server) as silent, connection(server) as slow, connection(server) as blank:
        slow.sendall(b"POST /v1/rate HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        blank.sendall(WHOLE)
        assert read_status(blank) == 200
        blank.sendall(b"\r\n")  # an empty line between requests is allowed, and is no request
        for stream in (silent, slow, blank):
            assert read_all(stream) == b""


def test_a_body_that_does_not_get_on_is_answered_408(server: ServerProcess) -> None:
    (answer,) = answers_to(server, [request_head(100) + b'{"input": "'])
    assert (answer[0], answer[2]["error"]["code"]) == (408, "body_timeout")


def test_the_second_request_of_a_connection_is_timed_too(server: ServerProcess) -> None:
    assert [answer[0] for answer in answers_to(server, [WHOLE + b"POST /v1/rate HT"])] == [200]


def test_a_connection_whose_refused_body_has_ended_is_timed_too(server: ServerProcess) -> None:
    head = request_head(10, "/v1/nothing")
    assert [answer[0] for answer in answers_to(server, [head, b"0123456789"])] == [404]


INVALID = {
    "another protocol": b"\x16\x03\x01" + b"\x00" * 100,
    "no method": b"hello\r\n\r\n",
    "a length that is none": request_head(0).replace(b"Length: 0", b"Length: x"),
    "two lengths": request_head(3).replace(b"\r\n\r\n", b"\r\nContent-Length: 4\r\n\r\n"),
    "length and chunks": CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Length: 4\r\n\r\n"),
    "a chunk that is none": CHUNKED + b"zz\r\n\r\n",
    "a path that is none": b"GET http://[:bad HTTP/1.1\r\nHost: x\r\n\r\n",
    "a header with a nul": b"GET /healthz HTTP/1.1\r\nX: \x00\r\n\r\n",
}


@pytest.mark.parametrize("name", INVALID)
def test_what_is_not_http_is_refused_in_the_form_of_errors(name: str, server: ServerProcess) -> None:
    (answer,) = answers_to(server, [INVALID[name]])
    status, headers, body = answer
    assert (status, body["error"]["code"], body["error"]["type"]) == (400, "invalid_http", "invalid_request_error")
    assert body["error"]["message"].endswith(".")
    assert headers["connection"].lower() == "close"
    assert headers["content-type"] == "application/json"


GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
LARGE = {
    "a header of 5 MB": [GET + b"X: ", *[b"a" * 100_000] * 50, b"\r\n\r\n"],
    "50,000 headers": [GET, *[b"X: y\r\n" * 1_000] * 50, b"\r\n"],
    "a header too large": [GET + b"X: " + b"a" * MOST_HEADER_BYTES + b"\r\n\r\n"],
    "a header too many": [GET + b"X: y\r\n" * MOST_HEADERS + b"\r\n"],
    "a long path": [b"GET /" + b"a" * MOST_HEADER_BYTES + b" HTTP/1.1\r\nHost: x\r\n\r\n"],
    "a trailer of 5 MB": [CHUNKED + b"0\r\nX: ", *[b"a" * 100_000] * 50, b"\r\n\r\n"],
    "a thousand trailers": [CHUNKED + b"0\r\n" + b"X: y\r\n" * 1_000 + b"\r\n"],
}


@pytest.mark.parametrize("name", LARGE)
def test_headers_are_bounded(name: str, server: ServerProcess) -> None:
    (answer,) = answers_to(server, LARGE[name])
    status, headers, body = answer
    assert (status, body["error"]["code"]) == (431, "headers_too_large")
    assert headers["connection"].lower() == "close"


def test_headers_within_the_bounds_are_taken(server: ServerProcess) -> None:
    close = b"Connection: close\r\n\r\n"
    large = GET + b"X: " + b"a" * (MOST_HEADER_BYTES - 200) + b"\r\n" + close
    many = GET + b"X: y\r\n" * (MOST_HEADERS - 2) + close
    for request in (large, many):
        for pieces in ([request], [request[:1000], request[1000:]]):
            assert [answer[0] for answer in answers_to(server, pieces)] == [200]


def test_a_body_in_small_chunks_is_no_header(server: ServerProcess) -> None:
    body = b'{"input": "' + b"a" * 30_000 + b'"}'
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    request = CHUNKED.replace(b"Host: x", b"Host: x\r\nConnection: close") + chunks
    assert [answer[0] for answer in answers_to(server, [request])] == [200]


def test_the_answers_before_a_refusal_come_first(server: ServerProcess) -> None:
    for wrong, status in (
        (b"hello\r\n\r\n", 400),
        (LARGE["a header too many"][0], 431),
        (INVALID["a chunk that is none"], 400),
    ):
        assert [answer[0] for answer in answers_to(server, [WHOLE + WHOLE + wrong])] == [200, 200, status]


def test_a_client_that_closes_its_sending_side_is_taken_to_have_left(server: ServerProcess) -> None:
    with connection(server) as stream:
        stream.sendall(request_head(100) + b'{"input": "')
        stream.shutdown(socket.SHUT_WR)
        assert read_all(stream) == b""
    eventually(lambda: 499 in [event["status"] for event in server.events("request")])
