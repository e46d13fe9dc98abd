"""Speaks HTTP by hand, for what no client would send."""

from __future__ import annotations

import json
import socket
from typing import Any

import httpx2

from tests.serve.api.conftest import ServerProcess

KEY = "test-key-" + "0" * 20


def connection(server: ServerProcess) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def request_head(length: int, path: str = "/v1/rate") -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def read_all(stream: socket.socket) -> bytes:
    """Read until the other side has closed."""
    found = b""
    while piece := stream.recv(65536):
        found += piece
    return found


def read_status(stream: socket.socket) -> int:
    """Read one answer to its end, in however many pieces it comes, and return its status."""
    found = b""
    while b"\r\n\r\n" not in found:
        found += stream.recv(65536)
    head, _, body = found.partition(b"\r\n\r\n")
    lines = head.decode("ascii").lower().split("\r\n")
    length = next(int(line.removeprefix("content-length: ")) for line in lines if line.startswith("content-length: "))
    while len(body) < length:
        body += stream.recv(65536)
    return int(lines[0].split()[1])


def answers_of(stream: bytes) -> list[tuple[int, dict[str, str], dict[str, Any]]]:
    """Return the status, the headers and the JSON of every answer."""
    found = []
    while stream:
        head, _, stream = stream.partition(b"\r\n\r\n")
        first, *lines = head.decode("ascii").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        length = int(headers["content-length"])
        found.append((int(first.split()[1]), headers, json.loads(stream[:length])))
        stream = stream[length:]
    return found


def in_hand(server: ServerProcess) -> int:
    lines = httpx2.get(f"{server.url}/metrics", timeout=30).text.splitlines()
    return int(float(next(line for line in lines if line.startswith("babelguard_texts_in_hand")).split()[1]))
