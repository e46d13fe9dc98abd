"""The language of a row, from whatever code or English name the row holds."""

from __future__ import annotations

from functools import cache

from babelguard.errors import UserError
from babelguard.languages import LANGUAGES, language
from data_prep.reading.row import RowError

_OTHER_NAMES = {
    "bosnian": "sh",
    "chinese": "zh-Hans",
    "croatian": "sh",
    "mandarin": "zh-Hans",
    "norwegian": "nb",
    "serbian": "sh",
}


@cache
def tag_of(code: str) -> str:
    """Return the BCP-47 tag for an RTP-LX locale, an ISO 639, FLORES or BCP-47 code, or an English name.

    Raises:
        RowError: Nobody knows it.
    """
    names = {entry.name.casefold(): entry.tag for entry in LANGUAGES} | _OTHER_NAMES
    named = names.get(code.strip().casefold())
    if named is not None:
        return named
    try:
        return language(code).tag
    except UserError as error:
        raise RowError("unknown-locale", str(error).split(";")[0].rstrip(".")) from None
