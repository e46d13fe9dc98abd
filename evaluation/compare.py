"""Command line: `python -m evaluation.compare RUN... [--except en] [--rater A --against B,C] [--format csv]`."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from babelguard.command import run_command
from babelguard.errors import UserError


class Format(StrEnum):
    """How the comparison is written."""

    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"


def main(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Folders of finished runs, of which the texts that all hold count."),
    ],
    raters: Annotated[list[str] | None, typer.Option(metavar="A,B", help="Raters; all if not given.")] = None,
    languages: Annotated[list[str] | None, typer.Option(metavar="DE,FR", help="Languages; all if not given.")] = None,
    without: Annotated[list[str] | None, typer.Option("--except", metavar="EN", help="Languages to leave out.")] = None,
    categories: Annotated[list[str] | None, typer.Option(metavar="A,B", help="Categories; all if not given.")] = None,
    roles: Annotated[
        list[str] | None, typer.Option(metavar="PROMPT", help="Roles of the labelled texts; all if not given.")
    ] = None,
    registers: Annotated[list[str] | None, typer.Option(metavar="NEUTRAL", help="Registers; all if not given.")] = None,
    metric: Annotated[list[str] | None, typer.Option(metavar="A,B", help="Metrics, as in docs/metrics.md.")] = None,
    reference: Annotated[
        str, typer.Option(help="majority, or other-humans: as a person is measured who is left out.")
    ] = "majority",
    rater: Annotated[
        str | None, typer.Option(metavar="A", help="Say in which languages this rater is ahead, and by how much.")
    ] = None,
    against: Annotated[
        list[str] | None, typer.Option(metavar="B,C", help="Of which raters; of all others if not given.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How to write it.")] = Format.MARKDOWN,
) -> None:
    """Compare the raters of finished runs on the same texts.

    Every table holds the figures of several raters on the texts that all of them rated, in the categories that all of
    them cover, and in the cells (a category in a language) where the metric is defined for everybody. Options that
    take several values take them with commas or are repeated.
    """
    from evaluation.comparing.comparison import compare_runs
    from evaluation.comparing.markdown import to_markdown
    from evaluation.comparing.records import to_csv, to_json
    from evaluation.comparing.selection import METRICS, Selection

    selection = Selection(
        raters=_values("--raters", raters),
        languages=_values("--languages", languages),
        without=_values("--except", without),
        categories=_values("--categories", categories),
        roles=_values("--roles", roles),
        registers=_values("--registers", registers),
        metrics=_values("--metric", metric) or METRICS,
        reference=reference,
    )
    comparison = compare_runs(runs, selection, rater, _values("--against", against))
    write = {Format.MARKDOWN: to_markdown, Format.JSON: to_json, Format.CSV: to_csv}[form]
    typer.echo(write(comparison), nl=False)


def _values(option: str, given: Iterable[str] | None) -> tuple[str, ...]:
    values = tuple(dict.fromkeys(part.strip() for text in given or () for part in text.split(",") if part.strip()))
    if given and not values:
        raise UserError(f"{option} names nothing; give a value, or leave the option out.")
    return values


if __name__ == "__main__":
    run_command(main, name="python -m evaluation.compare")
