"""A training from corpus to card on a tiny model, its resumption, and what a user does wrong."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml

from babelguard.errors import UserError
from tests.train.classifier import tiny
from train.calibrating import read_block
from train.classifier.load import load_trained
from train.classifier.trainer import last_checkpoint
from train.predictions import read_predictions

STEPS = 18


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, encoder: Path, corpus: Path) -> Path:
    plan = tiny.plan_of(tmp_path_factory.mktemp("run"), corpus, encoder)
    return plan.kind.train(plan)


def weights(run: Path) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return load_file(run / "best" / "adapter_model.safetensors")


def test_a_run_leaves_what_the_documents_promise(run: Path) -> None:
    for name in ("recipe.yaml", "environment.json", "guard_spec.json", "calibration.json", "metrics.json", "README.md"):
        assert (run / name).is_file()
    steps = [json.loads(line)["step"] for line in (run / "train.log.jsonl").read_text().splitlines()]
    assert steps[-1] == STEPS
    assert not list(run.rglob("*.bin"))
    metrics = json.loads((run / "metrics.json").read_text())
    # The words say the levels: the model must have found that.
    assert metrics["splits"]["test"]["summary"]["linear_kappa"] > 0.4
    assert metrics["sources"][0]["items"] == metrics["items"]["train"]
    assert read_block(run).calibration.method == "platt"


def test_the_card_is_in_the_hubs_format(run: Path) -> None:
    head, body = (run / "README.md").read_text(encoding="utf-8").removeprefix("---\n").split("\n---\n", 1)
    record = yaml.safe_load(head)
    assert record["language"] == ["en", "fr"]
    assert record["pipeline_tag"] == "text-classification"
    for title in ("Intended use", "Data", "Figures", "By language", "Calibration", "Limits"):
        assert f"## {title}" in body
    assert "Violence is covered by no training item" in body


def test_a_run_that_is_calibrated_again_tells_the_new_figures(run: Path, tmp_path: Path) -> None:
    from train.calibrating.command import calibrate_run

    again = tmp_path / "again"
    shutil.copytree(run, again)
    before = {name: (again / name).read_bytes() for name in ("calibration.json", "metrics.json", "README.md")}
    calibrate_run(again)
    assert {name: (again / name).read_bytes() for name in before} == before
    sets = ["calibration.levels.rule=pooled", "calibration.method=none"]
    calibrate_run(again, sets, write=False)
    assert (again / "README.md").read_bytes() == before["README.md"]
    calibrate_run(again, sets)
    assert "the rule pooled" in (again / "README.md").read_text(encoding="utf-8")
    assert any("the rule pooled" in remark for remark in json.loads((again / "metrics.json").read_text())["remarks"])
    kept = read_block(again).options
    assert kept is not None
    assert kept.method == "none"
    # Fewer items than were rated: figures would be put beside the wrong texts.
    with pytest.raises(UserError, match="other calibration items than its corpus has now"):
        calibrate_run(again, ["hold_out=[fr]"])
    (again / "trained.json").unlink()
    with pytest.raises(UserError, match="has not ended"):
        calibrate_run(again)


def test_a_reloaded_guard_gives_the_predictions_of_the_run(run: Path, corpus: Path) -> None:
    guard = load_trained(run)
    rows = {item.id: item for item in tiny.items()}
    stored = read_predictions(run / "predictions" / "test.parquet")
    found = guard.logits([rows[item].text for item in stored.items])
    np.testing.assert_allclose(found, stored.logits, atol=1e-4)
    assert stored.titles[0] == "Toxicity>1"
    assert np.isnan(stored.levels[:, stored.categories.index("Violence")]).all()
    # The head is trained, saved and loaded, and an uncovered category is never exceeded.
    assert stored.logits[:, 0].std() > 0.1
    assert (stored.logits[:, stored.titles.index("Violence>1")] < -4).all()


def test_a_guard_does_not_depend_on_padding_or_batch(run: Path) -> None:
    guard = load_trained(run)
    texts = ["river angry", "stone " * 11 + "rude", "calm"]
    alone = np.concatenate([guard.logits([text]) for text in texts])
    np.testing.assert_allclose(guard.logits(texts), alone, atol=1e-4)


def test_a_long_text_is_rated_by_its_worst_window(run: Path) -> None:
    guard = load_trained(run)
    words = [*["river"] * 40, "angry", *["stone"] * 20]
    # Windows of 24 tokens hold 22 words, of which neighbours share 4; every word is a token.
    windows = [" ".join(words[start : start + 22]) for start in (0, 18, 36, 54)]
    expected = guard.logits(windows).max(axis=0)
    np.testing.assert_allclose(guard.logits([" ".join(words)])[0], expected, atol=1e-4)


def test_a_finished_run_is_not_trained_again(
    run: Path, encoder: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = tiny.plan_of(run.parent, corpus, encoder)
    monkeypatch.setattr("train.classifier.loop._fit", lambda *_: pytest.fail("trained again"))
    before = weights(run)
    assert plan.kind.train(plan) == run
    assert all(torch.equal(before[name], tensor) for name, tensor in weights(run).items())


def test_a_killed_run_goes_on_to_the_same_weights(tmp_path: Path, run: Path, encoder: Path, corpus: Path) -> None:
    code = (
        "import os, signal, sys, torch; torch.set_num_threads(1)\n"
        "from pathlib import Path\nfrom tests.train.classifier import tiny\n"
        "from train.classifier.callbacks import TimeLimit\n"
        "def die(self, args, state, control, **kwargs):\n"
        "    if state.global_step == 13: os.kill(os.getpid(), signal.SIGKILL)\n"
        "TimeLimit.on_step_end = die\n"
        f"plan = tiny.plan_of(Path({str(tmp_path)!r}), Path({str(corpus)!r}), Path({str(encoder)!r}))\n"
        "plan.kind.train(plan)\n"
    )
    repository = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, check=False)
    assert done.returncode == -9, done.stderr.decode()[-2000:]
    plan = tiny.plan_of(tmp_path, corpus, encoder)
    assert last_checkpoint(plan.run_folder / "checkpoints") == plan.run_folder / "checkpoints" / "checkpoint-9"
    resumed = weights(plan.kind.train(plan))
    for name, tensor in weights(run).items():
        torch.testing.assert_close(resumed[name], tensor, rtol=1e-4, atol=1e-5)


def test_a_sitting_ends_with_a_checkpoint_and_a_full_disk_leaves_it_alone(
    tmp_path: Path, run: Path, encoder: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = tiny.plan_of(tmp_path, corpus, encoder, "optimisation.max_hours=1e-9")
    folder = short.kind.train(short)
    assert "start the same command again" in capsys.readouterr().out
    good = folder / "checkpoints" / "checkpoint-1"
    assert last_checkpoint(folder / "checkpoints") == good
    content = (good / "adapter_model.safetensors").read_bytes()

    plan = tiny.plan_of(tmp_path, corpus, encoder)
    assert plan.run_folder == folder
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # No file may grow beyond this: writing a checkpoint fails as on a full disk, in the middle of a file.
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        with pytest.raises(UserError, match=r"step 9 could not be written .* goes on from .*checkpoint-1"):
            plan.kind.train(plan)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert last_checkpoint(folder / "checkpoints") == good
    assert (good / "adapter_model.safetensors").read_bytes() == content

    resumed = weights(plan.kind.train(plan))
    for name, tensor in weights(run).items():
        torch.testing.assert_close(resumed[name], tensor, rtol=1e-4, atol=1e-5)


def test_a_loss_that_is_not_a_number_stops_the_run(
    tmp_path: Path, encoder: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from train.classifier.losses import GuardLoss

    calls = iter(range(1000))
    right = GuardLoss.forward

    def wrong(self: GuardLoss, *tensors: torch.Tensor) -> torch.Tensor:
        broken = float("nan") if self.training and next(calls) >= 14 else 1.0
        return right(self, *tensors) * broken

    monkeypatch.setattr(GuardLoss, "forward", wrong)
    plan = tiny.plan_of(tmp_path, corpus, encoder)
    with pytest.raises(UserError, match=r"loss at step \d+ is nan; .*last good checkpoint is .*checkpoint-9"):
        plan.kind.train(plan)
    assert not (plan.run_folder / "best").exists()


def test_broken_weights_are_never_saved(tmp_path: Path, encoder: Path, corpus: Path) -> None:
    plan = tiny.plan_of(tmp_path, corpus, encoder, "optimisation.learning_rate=1e38", "optimisation.warmup_share=0")
    with pytest.raises(UserError, match=r"training stops here"):
        plan.kind.train(plan)
    assert last_checkpoint(plan.run_folder / "checkpoints") is None


@pytest.mark.parametrize("kind", ["corn", "multi-label", "softmax"])
def test_other_heads_learn_too(tmp_path: Path, encoder: Path, corpus: Path, kind: str) -> None:
    plan = tiny.plan_of(
        tmp_path,
        corpus,
        encoder,
        f"head.kind={kind}",
        "loss={soft_labels: true, positive_weights: balanced, consistency: 0.5}",
        "sampling={languages: 0.5, labels: 0.5, registers: 0.5}",
        "selection={levels: tuned, metric: auprc}",
        "batches.tokens=256",
    )
    folder = plan.kind.train(plan)
    assert json.loads((folder / "metrics.json").read_text())["splits"]["test"]["summary"]["auprc"] > 0.8


def test_all_weights_can_be_trained(tmp_path: Path, encoder: Path, corpus: Path) -> None:
    plan = tiny.plan_of(
        tmp_path,
        corpus,
        encoder,
        "lora=null",
        "optimisation.accumulation=2",
        "optimisation.gradient_checkpointing=true",
    )
    folder = plan.kind.train(plan)
    assert (folder / "best" / "model.safetensors").is_file()
    stored = read_predictions(folder / "predictions" / "test.parquet")
    rows = {item.id: item for item in tiny.items()}
    found = load_trained(folder).logits([rows[item].text for item in stored.items])
    np.testing.assert_allclose(found, stored.logits, atol=1e-4)


def test_a_decoder_without_a_pad_token_gets_one(tmp_path: Path, decoder: Path, corpus: Path) -> None:
    plan = tiny.plan_of(tmp_path, corpus, decoder, "lora.dora=true", "lora.rslora=true", "lora.freeze_layers=1")
    folder = plan.kind.train(plan)
    spec = json.loads((folder / "guard_spec.json").read_text())
    assert spec["model"]["pooling"] == "last"
    assert "has no pad token" in (folder / "README.md").read_text()
    guard = load_trained(folder)
    texts = ["river angry", "stone river cloud rude", "calm"]
    np.testing.assert_allclose(guard.logits(texts), np.concatenate([guard.logits([t]) for t in texts]), atol=1e-4)


def test_early_stopping_ends_a_run(tmp_path: Path, encoder: Path, corpus: Path) -> None:
    plan = tiny.plan_of(
        tmp_path,
        corpus,
        encoder,
        "optimisation={epochs: 20, patience: 1, evaluate_every_steps: 2, learning_rate: 1.0e-9}",
        "head.learning_rate=1.0e-9",
    )
    folder = plan.kind.train(plan)
    trained = json.loads((folder / "trained.json").read_text())
    assert trained["steps"] < trained["planned_steps"]
    assert list((folder / "tensorboard").iterdir())


@pytest.mark.slow
def test_two_processes_share_the_batches(tmp_path: Path, encoder: Path, corpus: Path) -> None:
    plan = tiny.plan_of(tmp_path, corpus, encoder, "optimisation.accumulation=2")
    recipe = next(tmp_path.glob("*.yaml"))
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--nproc_per_node=2",
        "--master_port=29517",
        "-m",
        "train.run",
    ]
    repository = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [*command, str(recipe), "--set", "optimisation.accumulation=2"],
        cwd=repository,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    trained = json.loads((plan.run_folder / "trained.json").read_text())
    assert trained["planned_steps"] == -(-STEPS // 4)
    assert load_trained(plan.run_folder).logits(["river angry"]).shape == (1, 18)


MISTAKES = {
    "one class": (
        lambda: [replace(item, labels={"Insult": (1, 1, 1)}) for item in tiny.items()],
        (),
        r"one and the same level in every category",
    ),
    "no calibration split": (
        lambda: [item for item in tiny.items() if item.split != "calibration"],
        (),
        r"no labelled item in the split calibration",
    ),
    "nothing to learn from": (
        lambda: [item for item in tiny.items() if item.split != "train"],
        (),
        r"no labelled item in the split train",
    ),
    "unknown target": (None, ("lora.targets=[querry]",), r"'querry'.* Did you mean 'query'\?"),
    "too many frozen layers": (None, ("lora.freeze_layers=2",), r"has 2 layers"),
    "unknown metric": (None, ("selection.metric=linear_kapa",), r"Did you mean 'linear_kappa'\?"),
    "window beyond positions": (None, ("model.window=65",), r"knows positions for 64"),
    "missing model": (None, ("model.base=./nowhere",), r"does not exist"),
    "held-out language": (None, ("hold_out=[de]",), r"hold_out names de"),
    "four bits on a CPU": (None, ("lora.four_bit=true",), r"needs a CUDA device"),
    "wrong calibration": (
        None,
        ("calibration={methd: platt}",),
        r"unknown key 'calibration.methd'. Did you mean 'method'",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_a_sentence(tmp_path: Path, encoder: Path, corpus: Path, mistake: str) -> None:
    rows, sets, sentence = MISTAKES[mistake]
    if mistake == "four bits on a CPU" and torch.cuda.is_available():
        pytest.skip("needs a machine without CUDA")
    path = corpus if rows is None else tiny.write_items(tmp_path / "items.jsonl", rows())
    plan = tiny.plan_of(tmp_path, path, encoder, *sets)
    with pytest.raises(UserError, match=sentence):
        plan.kind.train(plan)
    assert not (plan.run_folder / "best").exists()


def test_a_language_in_the_test_split_only_is_measured_and_said(tmp_path: Path, encoder: Path, corpus: Path) -> None:
    plan = tiny.plan_of(tmp_path, corpus, encoder, "hold_out=[fr]", "model.window=10")
    folder = plan.kind.train(plan)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "fr is in the test split only (24 items)" in card
    assert "fr (never seen)" in card
    assert "texts are longer than 10 tokens" in card
