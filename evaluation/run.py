"""Command line: `python -m evaluation.run [RECIPE] [--set a.b=c] [--dry-run] [--limit N]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelguard.command import DryRun, Overrides, run_command

QUICKSTART = Path(__file__).resolve().parents[1] / "recipes" / "evaluation" / "quickstart.yaml"


def main(
    recipe: Annotated[
        Path | None,
        typer.Argument(help="Recipe to run. Without one: the quickstart on the bundled sample.", show_default=False),
    ] = None,
    overrides: Overrides = None,
    dry_run: DryRun = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Rate only this many source_ids, each in all its languages and registers."),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Neither use nor keep answers of models and services in the cache.")
    ] = False,
) -> None:
    """Measure how well raters agree with people.

    A run leaves a folder under runs/: the resolved recipe, every rating, the metrics and report.html. Start the same
    command again after a stop, and it goes on where it was.
    """
    import os

    from evaluation.console import show_findings, show_plan
    from evaluation.recipe import load_plan

    chosen = [*(overrides or []), *([f"limit={limit}"] if limit is not None else [])]
    if no_cache:
        chosen.append("cache=false")
    plan = load_plan(recipe or QUICKSTART, chosen, os.environ)
    if dry_run:
        show_plan(plan)
        return
    from evaluation.evaluate import evaluate

    findings, folder = evaluate(plan)
    show_findings(findings, folder)


if __name__ == "__main__":
    run_command(main, name="python -m evaluation.run")
