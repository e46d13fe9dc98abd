"""Folds an answer to the few characters that its grammar knows.

A judge that answers in Japanese or Arabic writes the colon, the digits, the brackets and the quotes of its own
script. They are the same signs, so they are made one before anything is read. Only a copy is folded: what the
judge wrote stays as it came.
"""

from __future__ import annotations

import unicodedata

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_DIGITS = {
    code: ord("0") + unicodedata.decimal(chr(code))
    for code in range(0x80, 0x20000)  # no script's digits lie beyond; the whole range would slow every import
    if unicodedata.category(chr(code)) == "Nd"
}
# Joiners, direction marks, soft hyphens and byte order marks show nothing, and may stand before a label.
_INVISIBLE = dict.fromkeys([0x00, 0xAD, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A)])
_SIGNS = {
    **dict.fromkeys(map(ord, "︰﹕ː∶꞉"), ":"),
    **dict.fromkeys(map(ord, "،、，﹐"), ","),
    **dict.fromkeys(map(ord, "؛﹔"), ";"),
    **dict.fromkeys(map(ord, "٫。｡"), "."),
    **dict.fromkeys(map(ord, "−﹣"), "-"),
    **dict.fromkeys(map(ord, "‐‑"), "-"),
    **dict.fromkeys(map(ord, "⁄∕"), "/"),
    **dict.fromkeys(map(ord, "│┃"), "|"),
    **dict.fromkeys(map(ord, "〜∼"), "~"),
    **dict.fromkeys(map(ord, "‘’ʼ"), "'"),
    **dict.fromkeys(map(ord, "“”„«»"), '"'),
    **dict.fromkeys(map(ord, "「『"), "("),
    **dict.fromkeys(map(ord, "」』"), ")"),
    **dict.fromkeys(map(ord, "【〔"), "["),
    **dict.fromkeys(map(ord, "】〕"), "]"),
}
_TABLE: dict[int, str | int | None] = {**_FULL_WIDTH, **_DIGITS, **_INVISIBLE, **_SIGNS}


def fold(text: str) -> str:
    """Return `text` with ASCII digits, colons, brackets and quotes, and without invisible characters."""
    return text if text.isascii() and "\x00" not in text else text.translate(_TABLE)
