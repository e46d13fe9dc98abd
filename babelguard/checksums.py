"""Checksums of files and of plain values."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hex digits; the file is read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def hash_of(*parts: object) -> str:
    """Return a hash (16 hex digits) of plain values, the same on every machine."""
    encoded = json.dumps(parts, sort_keys=True, default=str, ensure_ascii=True).encode("ascii")
    return hashlib.sha256(encoded).hexdigest()[:16]
