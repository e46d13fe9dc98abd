"""From corpus to a guard that `evaluation.run` rates with, and what happens when something is wrong on the way."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from babelguard.errors import UserError
from babelguard.item import Role
from babelguard.taxonomy import RTP_LX
from tests.evaluation.guarding.tiny_guards import model as tiny_model
from tests.train.generative.recipes import write_recipe
from tests.train.generative.small_corpus import items, write_corpus
from tests.train.generative.test_guard_form import form_of
from train.recipe import load_plan

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*checkpointing:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*pin_memory:UserWarning"),
]


def run(path: Path) -> Path:
    plan = load_plan(path)
    return plan.kind.train(plan)


def rate_with(guard: Path, kind: str, corpus: Path, folder: Path) -> dict[str, Any]:
    """Put an exported guard on a corpus with `evaluation.run`, and return its summary in the findings."""
    from evaluation.evaluate import evaluate
    from evaluation.recipe import load_plan as load_evaluation

    recipe = {
        "name": "check",
        "corpus": {"source": "items", "path": str(corpus), "splits": ["test"]},
        "raters": [{"kind": kind, "name": "mine", "preset": str(guard / "rater.yaml")}],
        "intervals": {"replicates": 20, "method": "percentile"},
        "cache": False,
        "output": str(folder / "evaluations"),
    }
    path = folder / "evaluation.yaml"
    path.write_text(yaml.safe_dump(recipe), encoding="utf-8")
    _, done = evaluate(load_evaluation(path))
    return dict(json.loads((done.path / "metrics.json").read_text(encoding="utf-8")))


def test_a_judge_is_trained_exported_and_rates(tmp_path: Path, chat_model: Path) -> None:
    from train.generative.export import export_generative

    corpus = write_corpus(tmp_path, items(4))
    done = run(write_recipe(tmp_path, chat_model, corpus))
    metrics = json.loads((done / "metrics.json").read_text(encoding="utf-8"))
    assert metrics["splits"]["test"]["missing"] == 0
    assert metrics["selection"]["metric"] == "macro_f1"
    for name in ("recipe.yaml", "environment.json", "guard_spec.json", "README.md", "predictions/test.parquet"):
        assert (done / name).is_file()
    exported = export_generative(done, tmp_path / "guard")
    assert exported.flips == 0
    assert exported.compared == 1 * 6 * 8
    assert exported.onnx == "model.fp32.onnx"
    figures = rate_with(tmp_path / "guard", "llm-judge", corpus, tmp_path)
    counted = {row["status"]: row["count"] for row in figures["statuses"] if row["category"] == "Toxicity"}
    assert set(counted) == {"ok"}


def test_a_guard_with_a_preference_step_is_trained_exported_and_rates(tmp_path: Path, chat_model: Path) -> None:
    from serve.seal import check_seal
    from train.generative.export import export_generative

    corpus = write_corpus(tmp_path, items())
    changes = {
        "answer": {"format": "llama-guard", "in_context": True, "target_false_positives": 0.2, "least_mass": 0.0},
        "export.onnx": False,
        "preference": {"max_steps": 2},
    }
    done = run(write_recipe(tmp_path, chat_model, corpus, changes))
    trained = json.loads((done / "trained.json").read_text(encoding="utf-8"))
    assert [stage["name"] for stage in trained["stages"]] == ["supervised", "preference"]
    spec = json.loads((done / "guard_spec.json").read_text(encoding="utf-8"))
    assert 0 <= spec["threshold"] <= 1
    assert "harmless items of the calibration split" in spec["threshold_reason"]
    exported = export_generative(done, tmp_path / "guard")
    assert exported.flips == 0
    check_seal(tmp_path / "guard")
    preset = yaml.safe_load((tmp_path / "guard" / "rater.yaml").read_text(encoding="utf-8"))
    assert preset["threshold"] == spec["threshold"]
    figures = rate_with(tmp_path / "guard", "generative-guard", corpus, tmp_path)
    assert figures["statuses"]


def test_the_loss_is_on_the_answer_alone(tmp_path: Path, chat_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from train.generative.trainers import GuardSFTTrainer

    seen: list[dict[str, Any]] = []
    inherited = GuardSFTTrainer.compute_loss

    def spy(self: Any, model: Any, inputs: dict[str, Any], *rest: Any, **more: Any) -> Any:
        tokens = self.processing_class
        for ids, labels in zip(inputs["input_ids"].tolist(), inputs["labels"].tolist(), strict=True):
            learnt = [token for token in labels if token != -100]
            shown = [i for i, label in zip(ids, labels, strict=True) if label == -100 and i != tokens.pad_token_id]
            seen.append({"learnt": tokens.decode(learnt), "shown": tokens.decode(shown)})
        return inherited(self, model, inputs, *rest, **more)

    monkeypatch.setattr(GuardSFTTrainer, "compute_loss", spy)
    corpus = write_corpus(tmp_path, items(4))
    changes = {"answer.format": "llama-guard", "optimisation.max_steps": 1, "lora": None}
    done = run(write_recipe(tmp_path, chat_model, corpus, changes))
    assert (done / "best" / "model.safetensors").is_file()
    answers = ("safe", "unsafe\nS1", "unsafe\nS1,S5", "unsafe\nS1,S7")
    assert {row["learnt"] for row in seen} <= {f"{answer}<|im_end|>" for answer in answers}
    assert all(row["shown"].endswith("<|im_start|>assistant\n") for row in seen)


def test_a_killed_run_goes_on_to_the_same_weights(
    tmp_path: Path, chat_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from safetensors.numpy import load_file

    from train.generative.trainers import GuardSFTTrainer

    corpus = write_corpus(tmp_path, items(4))
    changes = {"optimisation.max_steps": 3, "optimisation.save_every_steps": 1, "optimisation.keep": 5}
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
    once = run(write_recipe(whole, chat_model, corpus, changes))

    inherited = GuardSFTTrainer.training_step

    def die_at_the_third(self: Any, *rest: Any, **more: Any) -> Any:
        if self.state.global_step == 2:
            raise KeyboardInterrupt
        return inherited(self, *rest, **more)

    path = write_recipe(killed, chat_model, corpus, changes)
    with monkeypatch.context() as patched:
        patched.setattr(GuardSFTTrainer, "training_step", die_at_the_third)
        with pytest.raises(KeyboardInterrupt):
            run(path)
    assert not (load_plan(path).run_folder / "best").exists()
    again = run(path)
    first, second = (load_file(folder / "best" / "adapter_model.safetensors") for folder in (once, again))
    assert all((first[name] == second[name]).all() for name in first)


def test_a_loss_that_is_no_number_stops_with_the_last_good_checkpoint(tmp_path: Path, chat_model: Path) -> None:
    corpus = write_corpus(tmp_path, items(4))
    changes = {
        "optimisation.learning_rate": 1e30,
        "optimisation.save_every_steps": 1,
        "optimisation.max_steps": 4,
        "selection.metric": "loss",
        "optimisation.evaluate_every_steps": 4,
    }
    path = write_recipe(tmp_path, chat_model, corpus, changes)
    with pytest.raises(UserError, match=r"(The loss at step|are not numbers).*Lower optimisation\.learning_rate"):
        run(path)


def test_a_full_disk_leaves_the_last_checkpoint_whole(
    tmp_path: Path, chat_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from train.generative.trainers import GuardSFTTrainer, last_checkpoint

    inherited = GuardSFTTrainer.save_model

    def full_at_the_second(self: Any, *rest: Any, **more: Any) -> Any:
        if self.state.global_step == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return inherited(self, *rest, **more)

    corpus = write_corpus(tmp_path, items(4))
    path = write_recipe(tmp_path, chat_model, corpus, {"optimisation.save_every_steps": 1})
    with monkeypatch.context() as patched:
        patched.setattr(GuardSFTTrainer, "save_model", full_at_the_second)
        with pytest.raises(
            UserError, match=r"step 2 could not be written .* No space left .* goes on from .*checkpoint-1"
        ):
            run(path)
    left = last_checkpoint(load_plan(path).run_folder / "checkpoints")
    assert left is not None
    assert left.name == "checkpoint-1"
    assert (run(path) / "best").is_dir()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lora.targets": ["q_prj"]}, r"has no module 'q_prj'\. Did you mean 'q_proj'"),
        ({"lora.four_bit": True}, "needs a CUDA device"),
        ({"model.longest": 99999}, "knows positions for 8192"),
        ({"model.base": "/no/such/model"}, "does not exist; set model.base"),
        ({"selection.metric": "kapa"}, "'metric' is one of linear_kappa"),
        ({"answer.in_context": True}, "'in_context' is for format: llama-guard"),
        ({"preference": {}, "lora": None}, "'preference' needs an adapter"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    tmp_path: Path, chat_model: Path, changes: dict[str, Any], message: str
) -> None:
    path = write_recipe(tmp_path, chat_model, write_corpus(tmp_path, items(4)), changes)
    with pytest.raises(UserError, match=message):
        run(path)


def test_one_answer_throughout_is_nothing_to_learn(tmp_path: Path, chat_model: Path) -> None:
    corpus = write_corpus(tmp_path, items(4, rude=False))
    path = write_recipe(tmp_path, chat_model, corpus, {"answer.format": "llama-guard"})
    with pytest.raises(UserError, match=r"have one answer \(safe\), so that there is nothing to tell apart"):
        run(path)


def test_a_tokenizer_without_a_chat_template_is_told(tmp_path: Path) -> None:
    from tests.evaluation.guarding.tiny_guards import save_guard

    model = save_guard(tmp_path / "base", "llama", None)
    path = write_recipe(tmp_path, model, write_corpus(tmp_path, items(4)))
    with pytest.raises(UserError, match=r"no chat template, so it is no chat model; set model\.layout=completion"):
        run(path)


@pytest.mark.slow
def test_the_graph_of_a_guard_gives_the_verdicts_logits(tmp_path: Path) -> None:
    import numpy as np
    import onnxruntime
    import torch

    from train.generative.load import TrainedGenerativeGuard
    from train.generative.onnx_export import export_decisive
    from train.generative.spec import GenerativeSpec

    form = form_of()
    made = tiny_model("llama", len(form.tokenizer))
    recipe = {"base": "tiny", "longest": 512}
    spec = GenerativeSpec(
        name="tiny", version="1", taxonomy="rtp-lx", model=recipe, answer=form.recipe, adapter=False, end=form.end
    )
    name, difference = export_decisive(TrainedGenerativeGuard(made, form.tokenizer, form, spec), tmp_path, 18)
    assert difference < 1e-4
    record = json.loads((tmp_path / "onnx.json").read_text(encoding="utf-8"))
    assert record["answers"] == ["safe", "unsafe"]
    ids = np.array([[*form.ask(items(1)[0], RTP_LX.names).ids, *record["first"]]], dtype=np.int64)
    session = onnxruntime.InferenceSession(str(tmp_path / name), providers=["CPUExecutionProvider"])
    found = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
    wanted = made(torch.from_numpy(ids)).logits[0, -1, record["tokens"]].detach().numpy()
    assert found == pytest.approx(wanted, abs=1e-4)


def test_a_preference_step_without_completions_is_told(tmp_path: Path, chat_model: Path) -> None:
    prompts = [item for item in items(8) if item.role is not Role.BENIGN_COMPLETION]
    path = write_recipe(tmp_path, chat_model, write_corpus(tmp_path, prompts), {"preference": {}})
    with pytest.raises(
        UserError, match="train gives no preference pair .* Add the roles completion and benign-completion"
    ):
        run(path)
