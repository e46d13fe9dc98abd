"""A run that is killed at any moment and started again finds what an undisturbed run finds."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.data_prep.sources.rtp_lx_files import azure_row, corpus_row, gpt4_row, labels, write

REPOSITORY = Path(__file__).resolve().parents[2]
RECORDED = REPOSITORY / "recipes" / "evaluation" / "rtp-lx-recorded.yaml"
ROWS = 400
LOCALES = ("DE", "SW")
FOLDERS = 4
KILLS = 5
"""In each folder, one after the other: twenty random points in all."""


def command(files: Path, output: Path) -> list[str]:
    changes = [f"corpus.path={files}", f"output={output}", "intervals.replicates=100", "intervals.method=percentile"]
    return [sys.executable, "-m", "evaluation.run", str(RECORDED), *(part for c in changes for part in ("--set", c))]


def answer(n: int) -> str:
    levels = {"Toxic": 1 + n % 5, "IdentityAttack": 1 + n % 3, "Bias": "1 or 2", "Microaggression": 1 + n % 2}
    return "\n".join(f"{name}: {level}" for name, level in {**levels, "Violence": n % 4}.items())


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for locale in LOCALES:
        varied = [labels((1 + n % 5, 1 + n % 4, 1 + n % 3), (1 + n % 3, 1 + n % 2, 1 + n % 3)) for n in range(ROWS)]
        write(folder / f"RTP_LX_{locale}.json", *(corpus_row(n, PromptAnnotationsRaw=varied[n]) for n in range(ROWS)))
        write(folder / f"acs_results_{locale}.json", *(azure_row(n) for n in range(ROWS)))
        write(folder / f"gpt4_results_{locale}.json", *(gpt4_row(n, answer(n)) for n in range(ROWS)))
    return folder


@pytest.fixture(scope="module")
def undisturbed(files, tmp_path_factory):
    output = tmp_path_factory.mktemp("undisturbed")
    start = time.monotonic()
    subprocess.run(command(files, output), check=True, capture_output=True, cwd=REPOSITORY)
    (folder,) = output.iterdir()
    return folder, time.monotonic() - start


def kill_at(files: Path, output: Path, seconds: float) -> None:
    with subprocess.Popen(
        command(files, output), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=REPOSITORY
    ) as process:
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()


@pytest.mark.parametrize("seed", range(FOLDERS))
def test_a_killed_run_goes_on(files, undisturbed, tmp_path, seed):
    whole, duration = undisturbed
    chance = random.Random(seed)
    for _ in range(KILLS):
        kill_at(files, tmp_path, chance.uniform(0.2, 1.0) * duration)
    subprocess.run(command(files, tmp_path), check=True, capture_output=True, cwd=REPOSITORY)
    (folder,) = tmp_path.iterdir()
    assert folder.name == whole.name
    for name in ("gpt-4", "azure-content-safety"):
        lines = (folder / "ratings" / f"{name}.jsonl").read_bytes().splitlines()
        items = Counter(json.loads(line)["item"] for line in lines)
        assert set(items.values()) == {1}
        assert len(items) == ROWS * len(LOCALES)
        assert sorted(lines) == sorted((whole / "ratings" / f"{name}.jsonl").read_bytes().splitlines())
    ours, theirs = (json.loads((path / "metrics.json").read_bytes()) for path in (folder, whole))
    for record in (ours, theirs):
        record["recipe"].pop("output")
    assert ours == theirs
