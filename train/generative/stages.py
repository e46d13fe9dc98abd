"""What each stage of a training leaves, and which stage's weights are taken."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation.run_folder import RunFolder
from train.figures import LOWER_IS_BETTER, better
from train.sitting import TRAINED, first_process

BEST, SUPERVISED, PREFERENCE = "best", "supervised", "preference"
WEIGHTS = ("adapter_model.safetensors", "adapter_config.json", "model.safetensors", "config.json")


@dataclass(frozen=True)
class Stage:
    """What one stage left.

    Attributes:
        name: supervised or preference.
        checkpoint: Name of the best checkpoint.
        value: The figure by which it was chosen; `None` where it was never defined.
        steps: Optimiser steps that were made.
        planned_steps: Optimiser steps that were planned; more if it stopped early.
    """

    name: str
    checkpoint: str
    value: float | None
    steps: int
    planned_steps: int


def stage_of(folder: RunFolder, name: str) -> Stage | None:
    """Return what a stage left, if it has ended."""
    record = folder.path / name / "stage.json"
    return Stage(**json.loads(record.read_text(encoding="utf-8"))) if record.is_file() else None


def copy_weights(source: Path, target: Path, texts: dict[str, str], tokenizer: Any = None) -> None:  # noqa: ANN401
    """Copy weights, and nothing else of a checkpoint, into a folder that appears whole or not at all."""
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for path in source.iterdir():
        if path.name in WEIGHTS or (path.name.startswith("model-") and path.suffix == ".safetensors"):
            shutil.copy2(path, partial / path.name)
    if (source / "model.safetensors.index.json").is_file():
        shutil.copy2(source / "model.safetensors.index.json", partial)
    for name, text in texts.items():
        (partial / name).write_text(text + "\n", encoding="utf-8")
    if tokenizer is not None:
        tokenizer.save_pretrained(partial)
    shutil.rmtree(target, ignore_errors=True)
    partial.replace(target)


def keep_best(folder: RunFolder, stages: list[Stage], metric: str, tokenizer: Any, remarks: list[str]) -> None:  # noqa: ANN401
    """Put the better stage's weights into `best/`; the preference step is taken only if it made the figure better."""
    if not first_process():
        return
    chosen = stages[0]
    # The losses of the two stages are of different things and do not compare.
    for stage in stages[1:]:
        if metric == "loss" or better(metric, stage.value, chosen.value):
            chosen = stage
        else:
            remarks = [*remarks, f"The preference step did not improve {metric}; the supervised weights are kept."]
    copy_weights(folder.path / chosen.name, folder.path / BEST, {}, tokenizer)
    record = {
        "stage": chosen.name,
        "checkpoint": chosen.checkpoint,
        "steps": chosen.steps,
        "planned_steps": chosen.planned_steps,
        "metric": metric,
        "greater_is_better": metric not in LOWER_IS_BETTER,
        "value": chosen.value,
        "stages": [asdict(stage) for stage in stages],
        "remarks": remarks,
    }
    folder.write_text(TRAINED, json.dumps(record, indent=2, ensure_ascii=False) + "\n")
