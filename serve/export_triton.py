"""Command line: `python -m serve.export_triton BUNDLE --out FOLDER`: a model repository for NVIDIA Triton."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelguard.command import run_command


def main(
    bundle: Annotated[Path, typer.Argument(help="The guard's bundle.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the model repository; must not exist.")],
    precision: Annotated[
        str | None, typer.Option("--precision", help="fp32, fp16 or int8; the bundle's default if not given.")
    ] = None,
    device: Annotated[str, typer.Option("--device", help="cpu or gpu: where Triton runs the model.")] = "cpu",
    instances: Annotated[int, typer.Option("--instances", min=1, help="Copies of the model that run at a time.")] = 1,
    batch_windows: Annotated[int, typer.Option("--batch-windows", min=1, help="Windows in a batch, at most.")] = 64,
    wait_us: Annotated[int, typer.Option("--wait-us", min=0, help="How long requests wait for company, in µs.")] = 2000,
) -> None:
    """Write two Triton models: NAME takes texts and gives ratings as JSON; NAME_logits runs the ONNX file under it.

    Clients send texts to NAME. It needs Triton's python backend with babelguard[cpu] installed in its environment.
    """
    from serve.triton.repository import TritonOptions, write_repository

    options = TritonOptions(precision, device, instances, batch_windows, wait_us)
    names = write_repository(bundle, out, options)
    typer.echo(f"{out}: {' and '.join(names)}; start Triton with --model-repository={out}.")


if __name__ == "__main__":
    run_command(main, name="python -m serve.export_triton")
