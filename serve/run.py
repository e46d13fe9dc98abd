"""Command line: `python -m serve.run [BUNDLE] [--recipe RECIPE] [--set a.b=c] [--dry-run]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from babelguard.command import Overrides, run_command

RECIPES = Path(__file__).resolve().parents[1] / "recipes" / "serve"


def main(
    bundle: Annotated[
        Path | None,
        typer.Argument(
            help="The guard's bundle. Without one: the recipe's, or else the starter guard.", show_default=False
        ),
    ] = None,
    recipe: Annotated[
        Path | None,
        typer.Option(
            "--recipe",
            help="How to serve: a file, or a name in recipes/serve such as latency. Without one: default.",
            show_default=False,
        ),
    ] = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", help="What is done about ratings; read again when it changes.")
    ] = None,
    host: Annotated[
        str | None, typer.Option("--host", help="Address to listen on; one that others reach needs keys.")
    ] = None,
    port: Annotated[
        # The bounds stand here too, so that a wrong port is told of the option and not of the recipe.
        int | None, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 is any free one.")
    ] = None,
    ui: Annotated[
        bool, typer.Option("--ui", help="Serve the demo's pages at /ui too (set ui=MODULE:FUNCTION for others).")
    ] = False,
    overrides: Overrides = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the resolved recipe, and stop.")] = False,
) -> None:
    """Serve a guard over HTTP: OpenAI's moderation endpoint, full ratings, a guard for chats, metrics.

    Keys are taken from the environment variable BABELGUARD_API_KEYS. SIGTERM stops it when all that was accepted is
    answered; SIGHUP makes it look at the policy.
    """
    import os

    from babelguard.recipe import load_recipe
    from serve.api.settings import ServeRecipe

    options = {
        "bundle": bundle,
        "policy": policy,
        "host": host,
        "port": port,
        "ui": "demo.mounting:mount" if ui else None,
    }
    chosen = [f"{name}={_quoted(value)}" for name, value in options.items() if value is not None]
    settings = load_recipe(_file(recipe), ServeRecipe, [*(overrides or []), *chosen], os.environ)
    if dry_run:
        import yaml

        typer.echo(yaml.safe_dump(settings.model_dump(mode="json"), sort_keys=False, allow_unicode=True), nl=False)
        return
    from serve.serving import serve

    serve(settings)


def _file(recipe: Path | None) -> Path:
    """Return the file of a recipe; who installed the package has no folder of recipes, and names one of ours."""
    if recipe is None:
        return RECIPES / "default.yaml"
    named = RECIPES / f"{recipe.name}.yaml"
    return named if len(recipe.parts) == 1 and not recipe.exists() and named.is_file() else recipe


def _quoted(value: object) -> str:
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


if __name__ == "__main__":
    run_command(main, name="python -m serve.run")
