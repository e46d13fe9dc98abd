"""Command line: `python -m train.export RUN --to BUNDLE [--set export.a=b] [--push-to-hub OWNER/NAME]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelguard.command import Overrides, run_command


def main(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run, such as runs/train/NAME-HASH.")],
    to: Annotated[
        Path | None, typer.Option("--to", help="Folder to write: a bundle, or merged weights of a generative guard.")
    ] = None,
    overrides: Overrides = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what an earlier export wrote there.")] = False,
    push_to_hub: Annotated[
        str | None,
        typer.Option("--push-to-hub", metavar="OWNER/NAME", help="Upload it; the token is taken from HF_TOKEN."),
    ] = None,
    adapter: Annotated[
        bool, typer.Option("--adapter", help="Upload the adapter (the run's best weights and card), not the export.")
    ] = False,
    public: Annotated[bool, typer.Option("--public", help="Make a new hub repository public.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print how it would be exported, and stop.")] = False,
) -> None:
    """Export a trained guard, if its decisions stay those of the trained model.

    A classifier becomes a bundle: ONNX in the precisions of the recipe's block `export`, tokenizer, guard.json, card
    and checksums. A generative guard becomes a folder of merged weights that vLLM and transformers load.
    """
    from train.exporting.command import export_run

    export_run(
        run,
        to,
        overrides=overrides or [],
        overwrite=overwrite,
        repository=push_to_hub,
        adapter=adapter,
        public=public,
        dry_run=dry_run,
    )


if __name__ == "__main__":
    run_command(main, name="python -m train.export")
