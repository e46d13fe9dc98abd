"""How every command line of Babelguard ends: 0 when done, 2 for the user's mistake, 1 for ours."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from babelguard.errors import UserError

Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="A.B=VALUE", help="Override one value of the recipe; may be repeated."),
]
"""The option with which every command that has a recipe overrides it."""

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the resolved recipe and the work it would do, and stop.")
]
"""The option that runs nothing."""


def run_command(main: Callable[..., Any], name: str) -> None:
    """Run a function as a command line and exit.

    A `UserError` is printed as its sentence alone, and so is what the file system refuses. Anything else is a defect:
    its traceback is shown, without the values of local variables, which may hold texts that nobody wants in a log.
    """
    app = _app()
    app.command()(main)
    _run(app, name)


def run_commands(commands: Mapping[str, Callable[..., Any]], name: str) -> None:
    """Run one of several functions, by its name, as `run_command` does."""
    app = _app()
    for command, main in commands.items():
        app.command(command)(main)
    _run(app, name)


def _app() -> typer.Typer:
    return typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, no_args_is_help=False
    )


def _run(app: typer.Typer, name: str) -> None:
    try:
        app(prog_name=name)
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    except OSError as error:
        if error.filename is None:
            raise
        # A full disk, a missing right, a file where a folder should be: the user's to mend.
        sys.stderr.write(f"{error.filename}: {error.strerror}; check the path, its rights and the space on its disk.\n")
        sys.exit(2)
