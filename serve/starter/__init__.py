"""The starter guard: the small bundle that comes with the package, so that the API and the demo run at once."""

from __future__ import annotations

from pathlib import Path

from babelguard.errors import UserError

FOLDER = Path(__file__).resolve().parent / "bundle"
"""A folder of its own, because a bundle's seal covers every file beside it."""


def starter_bundle() -> Path:
    """Return the folder of the starter guard's bundle.

    Raises:
        UserError: Its files are not in this installation.
    """
    if not (FOLDER / "guard.json").is_file():
        raise UserError(
            f"The starter guard is not in {FOLDER}; name a bundle's folder, "
            "for example one that `python -m train.export` wrote, or install a release that holds it."
        )
    return FOLDER
