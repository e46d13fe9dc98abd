"""Command line: `python -m data_prep.fetch NAME` fetches a source from its publisher, the licence shown first."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from babelguard.command import run_command
from babelguard.errors import UserError
from data_prep.fetching.hub import fetch_from_hub
from data_prep.fetching.progress import progress_of_fetch
from data_prep.fetching.web import fetch_file
from data_prep.source import SOURCES, Source


def main(
    name: Annotated[str, typer.Argument(help="Name of the source, as in docs/sources.md")],
    to: Annotated[Path | None, typer.Option(help="Folder to put it into; data/NAME if not given")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to the licence without being asked")] = False,
) -> None:
    """Fetch a source from its publisher: resumed where it was cut, checked against its checksums."""
    source: Source = SOURCES.get(name)
    if not source.downloads and source.hub is None:
        raise UserError(f"{name} has nothing to fetch: it is read from files of your own.")
    folder = to or Path("data") / name
    _tell_licence(name, source)
    if not yes:
        _ask()
    sums = _fetch(source, folder)
    unpublished = [file.path for file in source.downloads if file.sha256 is None]
    for path, checksum in sums.items():
        note = " (no checksum to compare with; recorded in SHA256SUMS)" if path in unpublished else ""
        typer.echo(f"{checksum}  {folder / path}{note}")


def _tell_licence(name: str, source: Source) -> None:
    typer.echo(f"{name}\n  licence:  {source.licence}\n  citation: {source.citation}")
    for file in source.downloads:
        typer.echo(f"  from:     {file.url}")
    if source.hub is not None:
        gated = " (gated: agree to its terms there and set HF_TOKEN)" if source.hub.gated else ""
        typer.echo(f"  from:     {source.hub.page}, {', '.join(source.hub.patterns)}{gated}")


def _ask() -> None:
    if not sys.stdin.isatty():
        raise UserError("Nothing was fetched: read the licence above and pass --yes to agree to it.")
    if not typer.confirm("Do you agree to the licence?"):
        raise UserError("Nothing was fetched.")


def _fetch(source: Source, folder: Path) -> dict[str, str]:
    folder.mkdir(parents=True, exist_ok=True)
    sums: dict[str, str] = {}
    if source.downloads:
        with progress_of_fetch() as progress:
            for download in source.downloads:
                sums[download.path] = fetch_file(download, folder, progress)
    if source.hub is not None:
        sums |= fetch_from_hub(source.hub, folder)
    return sums


if __name__ == "__main__":
    run_command(main, "python -m data_prep.fetch")
