"""What `python -m train.run` prints: the plan of a dry run, and the main figures of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console

from train.recipe import TrainPlan


def show_plan(plan: TrainPlan[Any]) -> None:
    """Print the resolved recipe, and the work that a run would do."""
    console = Console(highlight=False)
    console.print(yaml.safe_dump(plan.resolved(), sort_keys=False, allow_unicode=True), markup=False)
    for sentence in plan.kind.work(plan):
        console.print(sentence, markup=False)
    console.print(f"Would write to {plan.run_folder}", soft_wrap=True, markup=False)


def say(sentence: str) -> None:
    """Print one sentence."""
    Console(highlight=False).print(sentence, markup=False, soft_wrap=True)


def show_run(folder: Path) -> None:
    """Print the run's main figures, its remarks, and where its folder is."""
    console = Console(highlight=False)
    metrics = folder / "metrics.json"
    if metrics.is_file():
        record = json.loads(metrics.read_text(encoding="utf-8"))
        for split, figures in record.get("splits", {}).items():
            shown = ", ".join(f"{name} {value:.3f}" for name, value in figures["summary"].items() if value is not None)
            console.print(f"{split}: {shown}", markup=False, soft_wrap=True)
        for remark in record.get("remarks", ()):
            console.print(f"- {remark}", markup=False, soft_wrap=True)
    console.print(f"Run folder: {folder}", markup=False, soft_wrap=True)
