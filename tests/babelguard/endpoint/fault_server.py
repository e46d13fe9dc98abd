"""A small server on loopback that answers as told: well, badly, late, in part or not at all."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LONGEST_HANG_S = 60.0


@dataclass(frozen=True)
class Asked:
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Answer:
    body: bytes | Mapping[str, Any] | list[Any] = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_after: int | None = None
    hangs: bool = False
    chunked: bool = False


Script = Callable[[Asked, int], Answer]
"""From a request and its number (from 0) to the answer."""


def in_turn(*answers: Answer) -> Script:
    """Answer in turn; the last answer stays."""
    return lambda _, number: answers[min(number, len(answers) - 1)]


@dataclass
class FaultServer:
    url: str
    script: Script
    asked: list[Asked] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    @property
    def bodies(self) -> list[Any]:
        return [one.body for one in self.asked]


@contextmanager
def fault_server(
    script: Script | Iterable[Answer] = (), on_hang: Callable[[], None] = lambda: None
) -> Iterator[FaultServer]:
    """Serve until the block ends; `on_hang` is called when an answer that hangs is due."""
    lock, over = threading.Lock(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked = Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(body))
            with lock:
                number = len(shown.asked)
                shown.asked.append(asked)
                shown.at_once += 1
                shown.most_at_once = max(shown.most_at_once, shown.at_once)
            try:
                self.answer(shown.script(asked, number))
            finally:
                with lock:
                    shown.at_once -= 1

        def answer(self, answer: Answer) -> None:
            if answer.hangs:
                on_hang()
                over.wait(LONGEST_HANG_S)
                self.close_connection = True
                return
            body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.chunked:
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                piece = body[: answer.cut_after]
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                if answer.cut_after is None:
                    self.wfile.write(b"0\r\n\r\n")
            else:
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[: answer.cut_after])
            self.close_connection = answer.cut_after is not None

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    chosen = script if callable(script) else in_turn(*script)
    shown = FaultServer(f"http://127.0.0.1:{server.server_port}", chosen)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield shown
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def chat(text: str | None = "ready", finish: str = "stop", **more: Any) -> Answer:
    """Return a chat completion as the OpenAI API has it."""
    message = {"role": "assistant", "content": text, "refusal": None, **more.pop("message", {})}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish, **more.pop("choice", {})}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return Answer({"id": "1", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage} | more)


def echo(asked: Asked, _: int) -> Answer:
    """Answer a chat with its last turn, a text with itself."""
    if "prompt" in asked.body:
        return Answer({"choices": [{"text": f"echo: {asked.body['prompt']}", "finish_reason": "stop"}]})
    return chat(f"echo: {asked.body['messages'][-1]['content']}")
