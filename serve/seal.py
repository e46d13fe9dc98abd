"""The seal of a folder: `SHA256SUMS` in the format of `sha256sum`, which covers every other file.

It tells damaged and mixed-up files, and so which guard gave a rating. It does not tell who wrote them: whoever can
change a file can write a new seal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from babelguard.checksums import sha256_of
from babelguard.errors import UserError

SEAL = "SHA256SUMS"
_LINE = re.compile(r"(?P<sum>[0-9a-f]{64}) [ *](?P<file>.+)")


def seal(folder: Path) -> Path:
    """Write the checksums of all files of a folder; `sha256sum --check SHA256SUMS` reads them.

    Files and folders whose names begin with a dot, which hubs and file managers leave behind, are not part of it.

    Returns:
        Path of the seal.
    """
    lines = [f"{sha256_of(folder / name)}  {name}\n" for name in sorted(_files(folder))]
    path = folder / SEAL
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path


def seal_digest(folder: Path) -> str:
    """Return the SHA-256 of a folder's seal, 64 hex digits: it stands for all that the folder holds."""
    return sha256_of(folder / SEAL)


def check_seal(folder: Path, *, contents: bool = True) -> None:
    """Check that a folder holds exactly the files of its seal.

    Args:
        folder: The folder.
        contents: Whether to compute the files' checksums too; files are read in pieces.

    Raises:
        UserError: There is no seal or it cannot be read; or a file is missing, not listed, or changed. The sentence
            names the files.
    """
    sums = _read(folder / SEAL)
    present = set(_files(folder))
    if missing := sorted(set(sums) - present):
        raise UserError(f"{folder}: {_named(missing)} missing, and {SEAL} lists it; copy the folder again, whole.")
    if strange := sorted(present - set(sums)):
        raise UserError(f"{folder}: {_named(strange)} not listed in {SEAL}; remove it, or copy the folder again.")
    if contents and (changed := [name for name, wanted in sums.items() if sha256_of(folder / name) != wanted]):
        raise UserError(
            f"{folder}: {_named(changed)} not what {SEAL} says: damaged or changed since it was written; "
            "it is not loaded. Copy or export it again."
        )


def _read(path: Path) -> dict[str, str]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise UserError(f"{path} is missing, so nothing can be checked; copy the folder again, whole.") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8; copy the folder again.") from None
    sums = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line.rstrip("\r"))
        if match is None:
            raise UserError(f"{path}, line {number}: this is not a line of sha256sum; copy the folder again.")
        sums[match["file"]] = match["sum"]
    return sums


def _files(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        inside = path.relative_to(folder)
        if not path.is_dir() and inside.as_posix() != SEAL and not any(part.startswith(".") for part in inside.parts):
            yield inside.as_posix()


def _named(files: list[str]) -> str:
    shown = ", ".join(files[:3])
    if len(files) > 3:
        return f"{shown} and {len(files) - 3} more are"
    return f"{shown} {'is' if len(files) == 1 else 'are'}"
