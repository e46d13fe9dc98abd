"""Whole runs with services: all accounted for, nothing asked twice, no key anywhere, one sentence a mistake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml

from tests.babelguard.endpoint.fault_server import Answer, chat, fault_server
from tests.evaluation.moderation_apis.asked import azure, openai, perspective

REPOSITORY = Path(__file__).resolve().parents[3]
CANARY = "canary-key-90210"
LEVELS = (
    "Toxicity: 2\nIdentityAttack: 1\nBias: 1\nMicroaggression: 1\nViolence: 1\nSelfHarm: 1\nInsult: 2\nSexualContent: 1"
)
LABELS = ("TOXICITY", "IDENTITY_ATTACK", "INSULT", "PROFANITY", "THREAT", "SEXUALLY_EXPLICIT")


def world(asked, number):
    """Answer as each of the four services does; every seventh chat is stopped by a filter, a few requests fail once."""
    assert CANARY in "".join(asked.headers.values())
    if number % 5 == 3:
        return Answer({"error": {"message": f"slow down, {CANARY}"}}, 429, {"Retry-After": "0"})
    if asked.path.startswith("/contentsafety"):
        return azure(Hate=4, SelfHarm=0, Sexual=0, Violence=7)
    if asked.path.endswith("/moderations"):
        return openai(violence=0.9)
    if asked.path.startswith("/v1alpha1"):
        return perspective(**{label: 0.5 for label in asked.body["requestedAttributes"] if label in LABELS})
    if number % 7 == 6:
        return chat(None, finish="content_filter")
    return chat(LEVELS)


def recipe(folder: Path, url: str, **judge) -> Path:
    traffic = {"first_wait_s": 0.01, "timeout_s": 5}
    service = {"base_url": url, "key_variable": "A_KEY", "traffic": traffic}
    backend = {**service, "base_url": f"{url}/v1", **judge.pop("backend_options", {})}
    raters = [
        {
            "kind": "llm-judge",
            "name": "judge",
            "model": "m",
            "backend": "openai-compatible",
            "backend_options": backend,
        },
        {"kind": "azure-content-safety", "name": "azure", "preset": "azure-content-safety", **service},
        {
            "kind": "openai-moderation",
            "name": "openai",
            "preset": "openai-omni-moderation",
            **service,
            "base_url": f"{url}/v1",
        },
        {"kind": "perspective", "name": "perspective", "preset": "perspective-api", **service},
    ]
    whole = {
        "name": "services",
        "corpus": {"source": "sample", "splits": ["test"]},
        "raters": [{**rater, **judge} if rater["kind"] == "llm-judge" else rater for rater in raters],
        "intervals": {"replicates": 20, "method": "percentile"},
        "limit": 2,
        "output": str(folder / "runs"),
        "cache": str(folder / "cache.sqlite"),
    }
    path = folder / "services.yaml"
    path.write_text(yaml.safe_dump(whole), encoding="utf-8")
    return path


def run(path: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evaluation.run", str(path), *more]
    environment = {**os.environ, "A_KEY": CANARY}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=REPOSITORY, check=False, timeout=180, env=environment
    )


def ratings_of(folder: Path, rater: str) -> list[dict]:
    (run_folder,) = (folder / "runs").iterdir()
    lines = (run_folder / "ratings" / f"{rater}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def status_of(cell) -> str:
    return "ok" if isinstance(cell, int) else cell if isinstance(cell, str) else cell["status"]


def level_of(cell) -> int:
    return cell["level"] if isinstance(cell, dict) else cell


@pytest.mark.slow
def test_a_run_with_four_services(tmp_path):
    with fault_server(world) as server:
        path = recipe(tmp_path, server.url)
        done = run(path)
        assert done.returncode == 0, done.stderr
        asked = len(server.asked)
        judged = ratings_of(tmp_path, "judge")
        statuses = Counter(status_of(cell) for rating in judged for cell in rating["scores"].values())
        assert set(statuses) == {"ok", "blocked"}
        assert sum(statuses.values()) == 8 * len(judged) > 0
        scores = ratings_of(tmp_path, "azure")[0]["scores"]
        assert [level_of(scores[name]) for name in ("Violence", "IdentityAttack")] == [3, 2]
        assert status_of(scores["Toxicity"]) == "not-covered"
        perspectives = [rating["scores"]["Toxicity"] for rating in ratings_of(tmp_path, "perspective")]
        assert {status_of(cell) for cell in perspectives} == {"ok", "not-covered"}  # the sample has languages it lacks

        # Delete what was rated, and everything is rated again from the cache, without a single request.
        (run_folder,) = (tmp_path / "runs").iterdir()
        before = {file.name: file.read_bytes() for file in (run_folder / "ratings").iterdir()}
        for file in (run_folder / "ratings").iterdir():
            file.unlink()
        assert run(path).returncode == 0
        assert len(server.asked) == asked
        assert {file.name: file.read_bytes() for file in (run_folder / "ratings").iterdir()} == before

        # Without the cache, services are asked again, in the same run folder.
        for file in (run_folder / "ratings").iterdir():
            file.unlink()
        assert run(path, "--no-cache").returncode == 0
        assert len(server.asked) > asked
        assert [one.name for one in (tmp_path / "runs").iterdir()] == [run_folder.name]

    everywhere = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(everywhere) > 10
    assert all(CANARY.encode() not in file.read_bytes() for file in everywhere)
    assert CANARY not in done.stdout + done.stderr


@pytest.mark.slow
def test_a_budget_ends_the_asking_and_not_the_run(tmp_path):
    with fault_server(world) as server:
        path = recipe(tmp_path, server.url, backend_options={"budget": {"max_requests": 6}})
        done = run(path)
        assert done.returncode == 0, done.stderr
        chats = [one for one in server.asked if one.path.endswith("chat/completions")]
    judged = ratings_of(tmp_path, "judge")
    unanswered = [
        rating["scores"]["Toxicity"] for rating in judged if status_of(rating["scores"]["Toxicity"]) == "error"
    ]
    assert unanswered
    assert {cell["detail"] for cell in unanswered} == {"budget"}
    assert 6 < len(chats) <= 6 + 2  # the probe, which may be repeated, comes on top


def test_a_service_that_cannot_be_used_is_one_sentence_and_exit_code_two(tmp_path):
    backend = {"traffic": {"attempts": 2, "first_wait_s": 0.01}}
    page = Answer(f"<html><body>Welcome {CANARY}".encode(), 200)
    with fault_server([page]) as server:
        done = run(recipe(tmp_path, server.url, backend_options=backend))
    words = "chat/completions: answered a web page. Check that base_url is the root of the API"
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert len([line for line in done.stderr.strip().splitlines() if not line.startswith("judge rates")]) == 1
    assert CANARY not in done.stdout + done.stderr
