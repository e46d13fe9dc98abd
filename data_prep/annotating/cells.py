"""Texts in spreadsheet cells: shown as they are, never run as formulas, and read back unchanged.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line end can be taken for a formula when a sheet is
opened (OWASP, "CSV Injection"); in some locales so can their full-width forms, and some programs pass over white space
in front of them. A CSV file marks such text with an apostrophe, which `unguarded` takes off; an XLSX file says in the
cell's type that it is text.
"""

from __future__ import annotations

import re
import unicodedata

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
GUARD = "'"
LONGEST = 32_000
"""Characters of a text in a cell; spreadsheets cut at 32,767 UTF-16 units without a word."""
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def shown(text: str) -> str:
    """Return the text as a cell can hold it.

    Characters that no XML file may hold become U+FFFD, and a text that is too long is cut with a remark.
    """
    text = _UNWRITABLE.sub("\ufffd", text)
    units = len(text) + sum(character > "\uffff" for character in text)
    if units > LONGEST:
        text = f"{text[: LONGEST // 2]} … [cut: the text has {len(text):,} characters]"
    return text


def guarded(text: str) -> str:
    """Return a text that a CSV file can hold without any program taking it for a formula."""
    return GUARD + text if _needs_guard(text) else text


def unguarded(text: str) -> str:
    """Take off the apostrophe of `guarded`, where the text has one."""
    return text[1:] if text.startswith(GUARD) and _needs_guard(text[1:]) else text


def _needs_guard(text: str) -> bool:
    return text.startswith((*FORMULA_STARTS, GUARD)) or text.lstrip().startswith(FORMULA_STARTS)


def same_text(sent: str, returned: str) -> bool:
    """Tell whether a cell still holds the text that was sent, line ends and composition aside."""
    return _comparable(sent) == _comparable(returned)


def _comparable(text: str) -> str:
    return unicodedata.normalize("NFC", "\n".join(text.splitlines())).strip()
