"""How RTP-LX rows of different languages belong together, and which split each content is in.

In six languages the index 960 is skipped, so that the indexes 961-999 are the contents 960-998 of the other
languages. Contents 0-998 are transcreated and aligned; later ones were written for one language alone.
"""

from __future__ import annotations

import hashlib

_SKIPS_960 = frozenset({"AR", "DE", "ES", "FR", "IT", "ZH-Hans"})
_FIRST_MANUAL_INDEX = 999

PUBLISHED_EXCLUSIONS: dict[str, frozenset[int]] = {
    "AR": frozenset({97}),
    "HE": frozenset({185}),
    "HU": frozenset({124, 143, 203}),
    "NO-NB": frozenset({46, 1046}),
    "ZH-Hans": frozenset({583, 997}),
    "ZH-Hant": frozenset({37, 322, 657}),
}
"""Rows, by index of the Azure files, that the published tables leave out (found by recomputing them)."""


def content_number(locale: str, index: int) -> int | None:
    """Return the aligned content (0-998) of a row, or `None` for a row that was written for its language alone."""
    content = index - 1 if locale in _SKIPS_960 and 961 <= index <= 999 else index
    return content if content < _FIRST_MANUAL_INDEX else None


def source_id(locale: str, index: int) -> str:
    """Return the alignment key, the same in every language for the same content."""
    content = content_number(locale, index)
    return f"rtp-lx/{locale}/{index}" if content is None else f"rtp-lx/{content}"


def subset(locale: str, index: int) -> str:
    """Return ``transcreated`` or ``manual``, by content."""
    return "manual" if content_number(locale, index) is None else "transcreated"


def published_subset(index: int) -> str:
    """Return ``transcreated`` or ``manual`` as the published tables split them: by the raw index."""
    return "transcreated" if index < _FIRST_MANUAL_INDEX else "manual"


def split(key: str) -> str:
    """Return ``test``, ``calibration`` or ``train`` for a source_id: 20, 10 and 70 per cent, by hash.

    ``int(sha256(key)[:8 hex digits]) % 100``: 0-19 test, 20-29 calibration, the rest train.
    """
    bucket = int(hashlib.sha256(key.encode("utf-8")).hexdigest()[:8], 16) % 100
    if bucket < 20:
        return "test"
    return "calibration" if bucket < 30 else "train"
