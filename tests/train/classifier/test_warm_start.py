"""A training that goes on from another one's guard."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from babelguard.errors import UserError
from tests.train.classifier import tiny
from train.predictions import read_predictions

STILL = ("optimisation.learning_rate=1e-12", "head.learning_rate=1e-12", "optimisation.epochs=1")


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory, encoder: Path, corpus: Path) -> Path:
    plan = tiny.plan_of(tmp_path_factory.mktemp("earlier"), corpus, encoder, "optimisation.epochs=1")
    return plan.kind.train(plan)


@pytest.mark.parametrize("weights", ["adapter", "all"])
def test_a_training_that_learns_nothing_ends_where_the_earlier_one_did(
    tmp_path: Path, earlier: Path, encoder: Path, corpus: Path, weights: str
) -> None:
    first, sets = earlier, [*STILL]
    if weights == "all":
        sets.append("lora=null")
        before = tiny.plan_of(tmp_path, corpus, encoder, "lora=null", "optimisation.epochs=1")
        first = before.kind.train(before)
    plan = tiny.plan_of(tmp_path, corpus, encoder, *sets, f"start_from={first}")
    later = plan.kind.train(plan)
    assert later != first
    name = "adapter_model.safetensors" if weights == "adapter" else "model.safetensors"
    expected, found = load_file(first / "best" / name), load_file(later / "best" / name)
    assert set(expected) == set(found)
    for key, tensor in expected.items():
        torch.testing.assert_close(found[key], tensor, rtol=0, atol=1e-6)
    logits = [read_predictions(run / "predictions" / "test.parquet").logits for run in (first, later)]
    assert logits[1] == pytest.approx(logits[0], abs=1e-4)


def test_other_data_and_rates_may_follow(tmp_path: Path, earlier: Path, encoder: Path, corpus: Path) -> None:
    sets = ("hold_out=[fr]", "optimisation.epochs=1", "loss.soft_labels=true", f"start_from={earlier}")
    plan = tiny.plan_of(tmp_path, corpus, encoder, *sets)
    later = plan.kind.train(plan)
    record = json.loads((later / "metrics.json").read_text())
    assert record["trained_languages"] == ["en"]
    assert str(earlier) in (later / "recipe.yaml").read_text()


def test_a_share_of_the_start_is_kept(tmp_path: Path, earlier: Path, encoder: Path, corpus: Path) -> None:
    sets = ("optimisation.epochs=1", f"start_from={earlier}", "start_share=0.25")
    plan = tiny.plan_of(tmp_path, corpus, encoder, *sets)
    later = plan.kind.train(plan)
    name = "adapter_model.safetensors"
    chosen = json.loads((later / "trained.json").read_text())["checkpoint"]
    before, after = load_file(earlier / "best" / name), load_file(later / "checkpoints" / chosen / name)
    for key, tensor in load_file(later / "best" / name).items():
        torch.testing.assert_close(tensor, 0.25 * before[key] + 0.75 * after[key])
    card = (later / "README.md").read_text(encoding="utf-8")
    assert f"25% of those that training started from, {earlier.name}" in card


MISTAKES = {
    "another head": ("head.kind=softmax", r"head\.kind cumulative, this recipe softmax"),
    "all weights": ("lora=null", r"an adapter: True, this recipe False"),
    "another rank": ("lora.rank=8", r"do not fit"),
    "other layers": ("lora.freeze_layers=1", r"do not fit"),
    "another scale": ("lora.alpha=99", r"lora_alpha \d+, this recipe's 99"),
    "another prefix": ("model.prefix='query: '", r"model\.prefix '', this recipe 'query: '"),
    "no run": ("start_from=./nowhere", r"holds no guard_spec\.json"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_guard_of_another_form_is_refused(
    tmp_path: Path, earlier: Path, encoder: Path, corpus: Path, mistake: str
) -> None:
    change, sentence = MISTAKES[mistake]
    plan = tiny.plan_of(tmp_path, corpus, encoder, f"start_from={earlier}", change)
    with pytest.raises(UserError, match=sentence):
        plan.kind.train(plan)


def test_a_training_that_has_not_ended_is_refused(tmp_path: Path, earlier: Path, encoder: Path, corpus: Path) -> None:
    unfinished = tmp_path / "unfinished"
    unfinished.mkdir()
    shutil.copy(earlier / "guard_spec.json", unfinished)
    plan = tiny.plan_of(tmp_path, corpus, encoder, f"start_from={unfinished}")
    with pytest.raises(UserError, match=r"holds no best/adapter_model\.safetensors; its training has not ended"):
        plan.kind.train(plan)
