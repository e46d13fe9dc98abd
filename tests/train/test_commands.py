"""The three commands of the documents, one after the other: train, export, and evaluate what was exported."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

import evaluation.run
import train.export
import train.run
from babelguard.command import run_command
from serve.seal import check_seal
from tests.evaluation.guarding.tiny_guards import save_guard
from tests.train.classifier import tiny
from tests.train.generative.recipes import write_recipe
from tests.train.generative.small_corpus import items, write_corpus

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*checkpointing:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*pin_memory:UserWarning"),
]
Command = Callable[..., tuple[int, str]]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs a command line in this process, and gives its exit code and all that it printed."""

    def call(main: Callable[..., Any], *words: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["command", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            run_command(main, "command")
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out + printed.err

    return call


def evaluation_recipe(folder: Path, corpus: Path, rater: Mapping[str, str]) -> Path:
    path = folder / "evaluation.yaml"
    record = {
        "name": "check",
        "corpus": {"source": "items", "path": str(corpus), "splits": ["test"]},
        "raters": [{"name": "mine", **rater}],
        "intervals": {"replicates": 20, "method": "percentile"},
        "cache": False,
        "output": str(folder / "evaluations"),
    }
    path.write_text(yaml.safe_dump(record), encoding="utf-8")
    return path


def figures(folder: Path) -> dict[str, Any]:
    (path,) = (folder / "evaluations").glob("*/metrics.json")
    return dict(json.loads(path.read_text(encoding="utf-8")))


def run_folder(folder: Path) -> Path:
    (path,) = folder.glob("tiny-*")
    return path


def test_a_classifier_from_corpus_to_evaluation(tmp_path: Path, command: Command) -> None:
    encoder, corpus = tiny.save_encoder(tmp_path / "encoder"), tiny.write_items(tmp_path / "items.jsonl")
    tiny.plan_of(tmp_path, corpus, encoder)
    (recipe,) = tmp_path.glob("*.yaml")
    code, printed = command(train.run.main, recipe, "--set", "calibration.roles=[prompt]")
    assert code == 0, printed
    run, guard = run_folder(tmp_path), tmp_path / "guard"
    assert (run / "reliability.png").read_bytes().startswith(b"\x89PNG")
    assert "Level thresholds follow the rule" not in (run / "README.md").read_text(encoding="utf-8")
    code, printed = command(
        train.export.main, run, "--to", guard, "--set", "export.precisions=[fp32]", "--set", "export.bounds.fp32=0.01"
    )
    assert code == 0, printed
    assert f"Bundle: {guard}" in printed
    check_seal(guard)
    evaluation_of = evaluation_recipe(tmp_path, corpus, {"kind": "guard-bundle", "path": str(guard)})
    code, printed = command(evaluation.run.main, evaluation_of)
    assert code == 0, printed
    assert "mine" in printed
    counted = Counter({row["status"]: row["count"] for row in figures(tmp_path)["statuses"] if row["rater"] == "mine"})
    assert counted["ok"] > 0
    assert not set(counted) - {"ok", "not-covered"}


def test_a_generative_guard_from_corpus_to_evaluation(tmp_path: Path, command: Command) -> None:
    from tests.evaluation.guarding.layouts import CHATML

    model, corpus = save_guard(tmp_path / "model", "llama", CHATML), write_corpus(tmp_path, items(4))
    changes = {"answer": {"format": "llama-guard", "least_mass": 0.0}}
    recipe = write_recipe(tmp_path, model, corpus, changes)
    code, printed = command(train.run.main, recipe)
    assert code == 0, printed
    run, guard = run_folder(tmp_path / "runs"), tmp_path / "guard"
    code, printed = command(train.export.main, run, "--dry-run")
    assert code == 0, printed
    assert yaml.safe_load(printed)["export"]["dtype"] == "float32"
    code, printed = command(train.export.main, run, "--to", guard, "--set", "export.source_ids=1")
    assert code == 0, printed
    assert "0.000% of 48 levels flip" in printed
    assert "ONNX: model.fp32.onnx" in printed
    check_seal(guard)
    assert list(guard.glob("*.safetensors"))
    code, printed = command(train.export.main, run, "--to", guard)
    assert code == 2
    assert "exists; name another folder" in printed
    evaluation_of = evaluation_recipe(
        tmp_path, corpus, {"kind": "generative-guard", "preset": str(guard / "rater.yaml")}
    )
    code, printed = command(evaluation.run.main, evaluation_of)
    assert code == 0, printed
    rows = [row for row in figures(tmp_path)["statuses"] if row["rater"] == "mine" and row["category"] == "Insult"]
    assert {row["status"] for row in rows} <= {"ok", "unparsed"}
    assert sum(row["count"] for row in rows) == 6
