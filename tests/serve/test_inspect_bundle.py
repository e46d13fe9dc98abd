"""The command that verifies a bundle and prints what it says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from serve.bundle import read_bundle
from serve.inspect_bundle import describe
from tests.tiny_bundle import make_tiny_bundle


def inspect(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "serve.inspect_bundle", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_card_says_what_guard_json_says(tmp_path: Path) -> None:
    source = read_bundle(make_tiny_bundle(tmp_path / "b"))
    lines = list(describe(source))
    assert lines[0] == "tiny 0.0.1, made 2026-01-02, licence Apache-2.0"
    assert lines[1].endswith(source.digest)
    assert "  Toxicity           levels 1 to 5, flagged from P(level > 2) = 0.600" in lines
    assert "  de                 not claimed, 10 items, own calibration" in lines
    assert "  en                 claimed, 10 items, pooled values (10 items are too few to tell)" in lines
    assert "data         made up, Apache-2.0, 20 items" in lines


def test_from_the_command_line(tmp_path: Path) -> None:
    bundle = make_tiny_bundle(tmp_path / "b")
    done = inspect(str(bundle), "--load")
    assert done.returncode == 0, done.stderr
    assert "onnxruntime" in done.stdout.splitlines()[-1]
    (bundle / "README.md").write_text("changed", encoding="utf-8")
    done = inspect(str(bundle))
    assert done.returncode == 2
    assert "README.md is not what SHA256SUMS says" in done.stderr
    assert "Traceback" not in done.stderr
