"""Command line: `python -m data_prep.build RECIPE [--set a.b=c] [--dry-run] [--limit N] [--strict]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelguard.command import Overrides, run_command


def main(
    recipe: Annotated[Path, typer.Argument(help="Recipe to build, for example recipes/data_prep/sample.yaml.")],
    overrides: Overrides = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the resolved recipe and what it would read, and stop.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Take only this many source_ids of each source, with all their items."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first row that cannot be read, in place of setting it aside.")
    ] = False,
) -> None:
    """Build a corpus: read, filter, normalise, deduplicate, balance, split, check and write.

    A build leaves a folder under corpora/: Parquet shards, manifest.json, README.md (a data set card), rejected.jsonl
    and left_out.jsonl. It is whole or not there: a build that is stopped leaves nothing that looks like a corpus.
    """
    import os

    from babelguard.progress import counting
    from data_prep.building.console import show_manifest, show_plan
    from data_prep.building.recipe import load_plan

    chosen = [*(overrides or []), *([f"limit={limit}"] if limit is not None else []), *(["strict=true"] * strict)]
    plan = load_plan(recipe, chosen, os.environ)
    if dry_run:
        show_plan(plan)
        return
    from data_prep.building.assemble import build

    with counting() as shown:
        manifest = build(plan, shown)
    show_manifest(manifest, plan.recipe.folder)


if __name__ == "__main__":
    run_command(main, name="python -m data_prep.build")
