"""One rater of every kind in one report: the recipe, with tiny models in the place of the real judge."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason="models need torch and transformers: pip install 'babelguard[judges]'")
pytest.importorskip("httpx2", reason="services need httpx2: pip install 'babelguard[endpoints]'")

from babelguard import RTP_LX
from benchmarks.tiny_models import write_all
from evaluation.evaluate import evaluate
from evaluation.recipe import load_plan
from tests.babelguard.endpoint.fault_server import Answer, Asked, fault_server
from tests.babelguard.generators.serving import needs_transformers_serve, transformers_serve

RECIPE = Path(__file__).resolve().parents[2] / "recipes" / "evaluation" / "side-by-side.yaml"
RATERS = ("block-list", "tiny-classifier", "tiny-guard", "judge-scored", "judge-written", "judge-served")
WRITTEN = "\n".join(f"{name}: 2" for name in RTP_LX.names)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("models")
    write_all(folder)
    return folder


def run(models: Path, url: str, output: Path, *changes: str) -> dict[str, Any]:
    """Run the recipe on one content of the sample with the tiny judge, and return its findings."""
    overrides = [
        f"output={output}",
        f"cache={output / 'responses.sqlite'}",
        "limit=1",
        "intervals.replicates=50",
        "intervals.method=percentile",
        f"raters.0.path={models / 'lists'}",
        f"raters.1.model={models / 'classifier'}",
        f"raters.2.model={models / 'guard'}",
        f"raters.3.model={models / 'judge'}",
        f"raters.4.model={models / 'judge'}",
        "raters.4.max_new_tokens=8",
        f"raters.5.model={models / 'served-judge'}",
        "raters.5.max_new_tokens=8",
        f"raters.5.backend_options.base_url={url}",
        *changes,
    ]
    _, folder = evaluate(load_plan(RECIPE, overrides))
    assert folder.report.stat().st_size > 10_000
    found: dict[str, Any] = json.loads((folder.path / "metrics.json").read_bytes())
    return found


def check(found: dict[str, Any], items: int) -> None:
    """Every rater is in the report, and each of its items ends with a status in each category."""
    counts: Counter[str] = Counter()
    for row in found["statuses"]:
        counts[row["rater"]] += row["count"]
    named = [rater["name"] for rater in found["raters"]]
    assert [name for name in named if name in RATERS] == list(RATERS)
    assert {counts[name] for name in RATERS} == {items * len(RTP_LX)}


def statuses(found: dict[str, Any], rater: str) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for row in found["statuses"]:
        if row["rater"] == rater:
            counts[row["status"]] += row["count"]
    return {status: count for status, count in counts.items() if count}


def test_one_recipe_reports_all_kinds_side_by_side(models: Path, tmp_path: Path) -> None:
    def served(asked: Asked, _: int) -> Answer:
        assert asked.path == "/v1/completions"
        return Answer({"choices": [{"text": WRITTEN, "finish_reason": "stop"}]})

    with fault_server(served) as server:
        found = run(models, f"{server.url}/v1", tmp_path, "corpus.languages=[en,sw]")
    items = found["corpus"]["items"]
    check(found, items)
    whole = items * len(RTP_LX)
    assert statuses(found, "judge-scored") == statuses(found, "judge-served") == {"ok": whole}
    assert statuses(found, "tiny-classifier")["ok"] == items
    assert sum(row["count"] for row in found["levels"] if row["rater"] == "judge-served" and row["level"] == 2) == whole


@pytest.mark.slow
@needs_transformers_serve
def test_a_real_server_is_one_of_them(models: Path, tmp_path: Path) -> None:
    with transformers_serve(models / "served-judge") as url:
        found = run(models, url, tmp_path, "corpus.languages=[en]")
    check(found, found["corpus"]["items"])
    assert "error" not in statuses(found, "judge-served")
    # Random weights write no levels; the same model writes the same in this process and behind a server.
    assert statuses(found, "judge-served") == statuses(found, "judge-written")


@pytest.mark.slow
def test_it_runs_on_rtp_lx(models: Path, tmp_path: Path, rtp_lx: Path) -> None:
    with fault_server(lambda _, __: Answer({"choices": [{"text": WRITTEN, "finish_reason": "stop"}]})) as server:
        changes = ["corpus.source=rtp-lx", f"corpus.path={rtp_lx}", "corpus.splits=null", "corpus.roles=[prompt]"]
        found = run(models, f"{server.url}/v1", tmp_path, *changes, "corpus.languages=[en,de]")
    check(found, found["corpus"]["items"])
