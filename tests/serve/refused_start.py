"""A server that does not start."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import REPOSITORY


def refused_start(*arguments: str) -> str:
    """Return what `python -m serve.run` says of the user's mistake; it has not started."""
    done = subprocess.run(
        [sys.executable, "-m", "serve.run", *arguments],
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    return done.stderr
