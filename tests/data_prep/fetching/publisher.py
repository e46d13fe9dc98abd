"""A publisher's web server on this machine, with the faults that real ones have."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY = bytes(range(256)) * 4096  # 1 MiB


@dataclass
class Publisher:
    """What the server does, and what it was asked."""

    body: bytes = BODY
    etag: str | None = '"one"'
    ranges: bool = True
    cut_after: int | None = None
    cuts: int = 0
    statuses: list[int] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)
    url: str = ""


def _handler(publisher: Publisher) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            publisher.asked.append(dict(self.headers))
            self.close_connection = True
            if publisher.statuses:
                self._answer(publisher.statuses.pop(0), b"")
                return
            start = self._start()
            if start is None:
                self._answer(200, publisher.body)
            elif start >= len(publisher.body):
                self._answer(416, b"", {"Content-Range": f"bytes */{len(publisher.body)}"})
            else:
                told = f"bytes {start}-{len(publisher.body) - 1}/{len(publisher.body)}"
                self._answer(206, publisher.body[start:], {"Content-Range": told})

        def _start(self) -> int | None:
            asked = self.headers.get("Range")
            if asked is None or not publisher.ranges or self.headers.get("If-Range") != publisher.etag:
                return None
            return int(asked.removeprefix("bytes=").removesuffix("-"))

        def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            if publisher.etag is not None:
                self.send_header("ETag", publisher.etag)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            if publisher.cut_after is not None and publisher.cuts > 0:
                publisher.cuts -= 1
                body = body[: publisher.cut_after]
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler


@contextmanager
def serve(**behaviour: object) -> Iterator[Publisher]:
    publisher = Publisher(**behaviour)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(publisher))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    publisher.url = f"http://127.0.0.1:{server.server_port}/file.csv"
    try:
        yield publisher
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
