"""A tiny guard, its API in this process, and a server in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest
from starlette.testclient import TestClient

from serve.api.app import create_app
from serve.api.settings import ApiSettings
from serve.guard import Guard
from tests.conftest import REPOSITORY
from tests.tiny_bundle import make_tiny_bundle

PLAIN = {"language": {"identify": False}, "batching": {"maximum_wait_ms": 0}}


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_bundle(tmp_path_factory.mktemp("bundles") / "tiny")


@pytest.fixture(scope="session")
def guard(tiny: Path) -> Guard:
    return Guard.load(tiny, threads=1)


@contextmanager
def client_of(guard: Guard, policy: Path | None = None, **settings: Any) -> Iterator[TestClient]:
    api = create_app(guard, policy, ApiSettings.model_validate({**PLAIN, **settings}))
    with TestClient(api, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="module")
def client(guard: Guard) -> Iterator[TestClient]:
    with client_of(guard) as made:
        yield made


class ServerProcess:
    """`python -m serve.run`, started and read until it is ready."""

    def __init__(self, *arguments: str, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "serve.run", *arguments, "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=REPOSITORY,
            env={**os.environ, **(environment or {})},
            text=True,
        )
        self.lines: list[str] = []
        self._ready = threading.Event()
        self.port = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._ready.wait(120), self.output
        assert self.port, self.output

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def output(self) -> str:
        return "\n".join(self.lines)

    def events(self, name: str) -> list[dict[str, Any]]:
        found = [json.loads(line) for line in self.lines if line.startswith("{")]
        return [each for each in found if each["event"] == name]

    def stop(self) -> int:
        """Send SIGTERM and wait for the end."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self.stop_reading()
        return code

    def stop_reading(self) -> None:
        """Wait until everything is read that the process wrote."""
        self._reader.join(60)

    def end(self) -> None:
        """End the process, however it is, and close what it wrote to."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(60)
        self._reader.join(60)

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            self._follow(output)
        self._ready.set()

    def _follow(self, output: IO[str]) -> None:
        for line in output:
            self.lines.append(line.rstrip("\n"))
            if '"event":"ready"' in line:
                self.port = json.loads(line)["port"]
                self._ready.set()


@contextmanager
def serving(*arguments: str, environment: dict[str, str] | None = None) -> Iterator[ServerProcess]:
    server = ServerProcess(*arguments, environment=environment)
    try:
        yield server
    finally:
        server.end()


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds; fails after a time that no working machine needs."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)
