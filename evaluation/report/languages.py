"""Languages as the report orders and names them; a tag that the table lacks stands for itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby

from babelguard.errors import UserError
from babelguard.languages import language

BANDS = ("high", "mid", "low")
BAND_TITLES = {
    "high": "High-resource languages",
    "mid": "Mid-resource languages",
    "low": "Low-resource languages",
    "": "Languages outside RTP-LX's tiers",
}


@cache
def language_name(tag: str) -> str:
    """Return a language's English name."""
    try:
        return language(tag).name
    except UserError:
        return tag


@cache
def band_of(tag: str) -> str:
    """Return ``high``, ``mid``, ``low``, or an empty string where RTP-LX gave no tier."""
    try:
        return language(tag).rtp_lx_band or ""
    except UserError:
        return ""


def in_reading_order(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags from high to low resource, by name within a band."""
    return tuple(sorted(tags, key=lambda tag: (_band_place(tag), language_name(tag), tag)))


def by_band(tags: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return (title, tags) groups; the title is empty where there is nothing to tell apart."""
    groups = [(band, list(group)) for band, group in groupby(tags, key=band_of)]
    if len(groups) == 1:
        return [("", list(tags))]
    return [(BAND_TITLES[band], group) for band, group in groups]


def _band_place(tag: str) -> int:
    band = band_of(tag)
    return BANDS.index(band) if band else len(BANDS)
