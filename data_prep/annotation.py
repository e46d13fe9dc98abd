"""Command line: `python -m data_prep.annotation export|import|sample`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from babelguard.command import Overrides, run_commands

Recipe = Annotated[Path, typer.Argument(help="Recipe of the batch, for example recipes/data_prep/annotation.yaml.")]


def export_sheets(recipe: Recipe, overrides: Overrides = None) -> None:
    """Write sheets for people: to transcreate, to annotate or to review, as the recipe's task says.

    The sheets in send/ are blinded. The key to their codes is in key/ and stays with you.
    """
    import os

    from data_prep.annotating.console import show_exported
    from data_prep.annotating.export import export
    from data_prep.annotating.recipe import load_sheets_plan

    show_exported(export(load_sheets_plan(recipe, overrides or [], os.environ)))


def sample_review(recipe: Recipe, overrides: Overrides = None) -> None:
    """Write the sheets of a bilingual fidelity review: the same stratified contents in every language."""
    export_sheets(recipe, [*(overrides or []), "task=review"])


def import_sheets(
    batch: Annotated[Path, typer.Argument(help="Folder of the batch that the export made.")],
    returned: Annotated[
        Path | None, typer.Option(help="Folder of the filled-in sheets; returned/ in the batch's folder if not set.")
    ] = None,
    set_aside: Annotated[
        bool, typer.Option("--set-aside", help="Leave wrong answers out and count them, in place of stopping.")
    ] = False,
) -> None:
    """Read filled-in sheets, merge the people, and print at once how well they agree.

    Leaves items.jsonl (read it with the source `items`), rejected.jsonl and reliability.json in the batch's merged/.
    """
    from data_prep.annotating.bring_back import bring_back
    from data_prep.annotating.console import show_missing, show_reliability, show_review

    found = bring_back(batch, returned or batch / "returned", set_aside)
    show_missing(found.missing)
    if found.batch.task == "review":
        show_review(found.batch, found.items)
    if found.reliability:
        show_reliability(found.reliability)
    elif found.batch.task != "transcreation":
        typer.echo("No figures of agreement: no text has answers of two people yet.")
    if found.problems:
        typer.echo(f"{len(found.problems):,} wrong answers were set aside: {found.folder / 'rejected.jsonl'}")
    typer.echo(f"{len(found.items):,} items: {found.folder / 'items.jsonl'}")


COMMANDS: dict[str, Callable[..., None]] = {"export": export_sheets, "import": import_sheets, "sample": sample_review}

if __name__ == "__main__":
    run_commands(COMMANDS, name="python -m data_prep.annotation")
