"""The demo in the browser: `python app.py`; `demo.mounting` has it for other applications."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelguard.command import run_command
from babelguard.errors import UserError


def main(
    bundle: Annotated[
        Path | None, typer.Option(help="Folder of the guard's bundle; the starter guard if not set.")
    ] = None,
    policy: Annotated[Path | None, typer.Option(help="Policy file; the guard's own thresholds if not set.")] = None,
    compare: Annotated[
        list[Path] | None, typer.Option(help="Bundle of another guard to show beside this one; may be repeated.")
    ] = None,
    raters: Annotated[
        Path | None,
        typer.Option(
            help="Evaluation recipe whose raters are shown beside the guard; a word list and n-grams if unset."
        ),
    ] = None,
    no_raters: Annotated[bool, typer.Option("--no-raters", help="Show no raters but guards.")] = False,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="A.B=VALUE", help="Override one value of that recipe; may be repeated."),
    ] = None,
    runs: Annotated[
        list[Path] | None, typer.Option(help="Folder with runs of evaluation.run; may be repeated. runs/ if not set.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on. 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65_535)] = 7860,
    threads: Annotated[int | None, typer.Option(help="CPU cores for the guard; all if not set.", min=1)] = None,
) -> None:
    """Start the demo: try one text, rate a file, browse evaluations, disagree with decisions."""
    import os
    import signal

    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    from demo.interface import appearance
    from demo.mounting import build
    from demo.panel import SIDE_BY_SIDE, guard_seats
    from demo.resources import panel_in_background, taxonomy_of
    from serve.guard import Guard
    from serve.starter import starter_bundle

    guard = Guard.load(bundle or starter_bundle(), tuning="latency", threads=threads)
    recipe = None if no_raters else raters or SIDE_BY_SIDE
    panel = panel_in_background(taxonomy_of(guard), guard_seats(compare or []), recipe, overrides or [])
    blocks = build(guard, policy=policy, panel=panel, runs=runs or [])
    try:
        _, address, _ = blocks.launch(
            server_name=host, server_port=port, share=False, quiet=True, prevent_thread_lock=True, **appearance()
        )
    except OSError:
        raise UserError(
            f"Nothing can listen on {host}, port {port}: another program does; pass another --port."
        ) from None
    typer.echo(f"Babelguard's demo is at {address} until you press Ctrl+C.")
    # Whatever stops a service or container stops the demo as Ctrl+C does, which deletes uploaded files.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    blocks.block_thread()


if __name__ == "__main__":
    run_command(main, name="python app.py")
