"""Starts and stops `transformers serve`, a real OpenAI-compatible server, on loopback."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_NEEDED = ("torch", "transformers", "fastapi", "uvicorn", "httpx2", "tenacity")
_MISSING = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
_STARTS_WITHIN_S = 120
_START = (
    "import sys; from transformers.cli.transformers import main; "
    "sys.argv = ['transformers', 'serve', *sys.argv[1:]]; main()"
)

needs_transformers_serve = pytest.mark.skipif(
    bool(_MISSING), reason=f"needs {', '.join(_MISSING)}: pip install 'transformers[serving]' torch"
)


@contextmanager
def transformers_serve(folder: Path) -> Iterator[str]:
    """Serve the model of a folder; yields the API's root, or skips the test where the server does not start."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [str(folder), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu", "--dtype", "float32"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    server = subprocess.Popen(
        [sys.executable, "-c", _START, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        text=True,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/health", server)
        yield f"{address}/v1"
    finally:
        server.terminate()
        try:
            server.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.communicate()


def _wait_for(address: str, server: subprocess.Popen[str]) -> None:
    end = time.monotonic() + _STARTS_WITHIN_S
    while time.monotonic() < end:
        if server.poll() is not None:
            pytest.skip(f"transformers serve does not start here: {server.communicate()[0][-300:]}")
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.skip(f"transformers serve did not start within {_STARTS_WITHIN_S} s")
