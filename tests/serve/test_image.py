"""The Dockerfile, by what it says: no image is built here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

LINES = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8").splitlines()


def command_of(instruction: str) -> list[str]:
    """Return the command of an instruction in exec form, run by this interpreter in place of the image's."""
    (line,) = (line for line in LINES if line.strip().startswith(instruction))
    _, *rest = json.loads(line.strip().removeprefix(instruction))
    return [sys.executable, *rest]


def test_the_image_copies_what_there_is_and_does_not_run_as_root() -> None:
    lines = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--from" not in line]
    for name in (name for names in copied for name in names):
        assert (REPOSITORY / name).exists(), name
    assert any(line.startswith("USER ") and line.split()[1] not in {"0", "root"} for line in lines)
    assert any(line.startswith("HEALTHCHECK ") for line in lines)
    assert not any("latest" in line for line in lines if line.startswith("FROM "))


def test_it_starts_the_server(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "BABELGUARD__HOST": "0.0.0.0"}
    command = [*command_of("ENTRYPOINT "), "--dry-run"]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert "host: 0.0.0.0" in done.stdout


def test_its_user_names_a_recipe_that_comes_with_it(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [*command_of("ENTRYPOINT "), "--recipe", "container", "--dry-run"]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert "texts_per_minute: 60000" in done.stdout


class Ready(BaseHTTPRequestHandler):
    """Answers with the server's status."""

    def do_GET(self) -> None:
        self.send_response(self.server.status if self.path == "/readyz" else 404)  # type: ignore[attr-defined]
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    with HTTPServer(("127.0.0.1", 0), Ready) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1)])
def test_the_health_check_asks_the_port_that_the_environment_names(server: HTTPServer, status: int, code: int) -> None:
    server.status = status  # type: ignore[attr-defined]
    environment = {**os.environ, "BABELGUARD__PORT": str(server.server_address[1])}
    done = subprocess.run(command_of("CMD "), env=environment, capture_output=True, check=False, timeout=60)
    assert done.returncode == code
