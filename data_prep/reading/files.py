"""Finding the files of a source."""

from __future__ import annotations

from pathlib import Path

from babelguard.errors import UserError


def files_at(path: Path, *patterns: str, source: str) -> list[Path]:
    """Return the file itself, or the files of a folder that match any of the globs, sorted.

    Args:
        path: A file or a folder.
        patterns: Globs relative to the folder, for example ``*.csv`` or ``*/*.csv``.
        source: Name of the source, for messages.

    Raises:
        UserError: Nothing is there.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UserError(f"{path} does not exist; pass the folder or the file that holds {source}.")
    found = sorted({file for pattern in patterns for file in path.glob(pattern) if file.is_file()})
    if not found:
        raise UserError(f"{path} holds no files of {source} ({', '.join(patterns)}); check the path.")
    return found
