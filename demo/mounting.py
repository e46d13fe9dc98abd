"""The demo for other applications: as Gradio blocks, or mounted in a FastAPI application."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

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
