"""Command line: `python -m train.run RECIPE [--set a.b=c] [--dry-run] [--max-hours H]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelguard.command import DryRun, Overrides, run_command


def main(
    recipe: Annotated[Path, typer.Argument(help="Recipe to run, such as recipes/train/classifier-small.yaml.")],
    overrides: Overrides = None,
    dry_run: DryRun = False,
    max_hours: Annotated[
        float | None,
        typer.Option("--max-hours", min=0.0, help="Stop with a checkpoint after so many hours; run again to go on."),
    ] = None,
) -> None:
    """Train a guard.

    A run leaves a folder under runs/train/: the resolved recipe, checkpoints, the best weights, predictions,
    calibration, metrics and a model card. Start the same command again after a stop, and it goes on where it was.
    """
    import os

    from train.recipe import load_plan

    chosen = [*(overrides or []), *([f"optimisation.max_hours={max_hours}"] if max_hours is not None else [])]
    plan = load_plan(recipe, chosen, os.environ)
    if dry_run:
        from train.console import show_plan

        show_plan(plan)
        return
    folder = plan.kind.train(plan)
    if os.environ.get("RANK", "0") == "0":
        from train.console import show_run

        show_run(folder)


if __name__ == "__main__":
    run_command(main, name="python -m train.run")
