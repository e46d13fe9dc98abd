"""Command line: `python -m train.calibrate RUN [--set calibration.a=b]`: calibrate a finished run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelguard.command import Overrides, run_command


def main(
    run: Annotated[Path, typer.Argument(help="Folder of a finished classifier run.")],
    overrides: Overrides = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what was found, and write nothing.")] = False,
) -> None:
    """Fit calibration and thresholds of a trained classifier on its calibration split, from its predictions.

    Writes calibration.json, reliability.png, and the metrics and model card that follow from them, into the run's
    folder. Nothing is trained.
    """
    from train.calibrating.command import calibrate_run

    calibrate_run(run, overrides or [], write=not dry_run)


if __name__ == "__main__":
    run_command(main, name="python -m train.calibrate")
