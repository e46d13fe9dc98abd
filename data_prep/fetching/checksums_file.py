"""``SHA256SUMS`` beside fetched files: what they hashed to when they came."""

from __future__ import annotations

from pathlib import Path

NAME = "SHA256SUMS"


def read_sums(folder: Path) -> dict[str, str]:
    """Return path in the folder -> sha256, empty where nothing was fetched yet."""
    file = folder / NAME
    if not file.is_file():
        return {}
    lines = (line.partition("  ") for line in file.read_text(encoding="utf-8").split("\n") if line)
    return {path: checksum for checksum, _, path in lines if path}


def record_sum(folder: Path, path: str, checksum: str) -> None:
    """Write down what one file hashes to."""
    sums = {**read_sums(folder), path: checksum}
    partial = folder / f"{NAME}.partial"
    partial.write_text("".join(f"{sums[name]}  {name}\n" for name in sorted(sums)), encoding="utf-8", newline="\n")
    partial.replace(folder / NAME)
