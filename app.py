"""The demo in the browser: `python app.py`, or mounted in a FastAPI application with `mount`."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babelguard.command import run_command
from babelguard.errors import UserError

if TYPE_CHECKING:
    import fastapi
    import gradio as gr

    from demo.panel import Panel
    from serve.guard import Guard
    from serve.policies import PolicyStore


def build(
    guard: Guard,
    *,
    policy: PolicyStore | Path | None = None,
    panel: Future[Panel] | None = None,
    runs: Sequence[Path] = (),
) -> gr.Blocks:
    """Return the demo for a guard.

    Args:
        guard: The guard; it is shared by all sessions.
        policy: The policy, which may change meanwhile, or its file; the guard's own thresholds if `None`.
        panel: Raters that stand beside the guard; none if `None`.
        runs: Folders below which finished evaluations are looked for; ``runs`` if empty.

    Raises:
        UserError: The policy cannot be read, or does not fit the guard.
    """
    from demo.interface import build_interface
    from demo.panel import Panel
    from demo.resources import RUNS, Resources, panel_ready, taxonomy_of
    from demo.verdict import Moderator

    ready = panel or panel_ready(Panel((), taxonomy_of(guard)))
    return build_interface(Resources(Moderator.of(guard, policy), ready, tuple(runs) or RUNS))


def mount(
    api: fastapi.FastAPI,
    guard: Guard,
    path: str = "/ui",
    *,
    policy: PolicyStore | Path | None = None,
    panel: Future[Panel] | None = None,
    runs: Sequence[Path] = (),
) -> fastapi.FastAPI:
    """Mount the demo in an application, as `python -m serve.run --ui` does.

    Args:
        api: The application.
        guard: The guard that the application serves.
        path: Where the pages are.
        policy: As `build`.
        panel: As `build`, but a word list and character n-grams if `None`.
        runs: As `build`.

    Raises:
        UserError: As `build`.
    """
    import gradio as gr

    from demo.interface import appearance
    from demo.resources import standing_panel, taxonomy_of

    blocks = build(guard, policy=policy, panel=panel or standing_panel(taxonomy_of(guard)), runs=runs)
    gr.mount_gradio_app(api, blocks, path, **appearance())
    return api


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
