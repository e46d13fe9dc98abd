"""Texts to try: harmless ones, and harmful ones that the page folds away, all from the bundled sample."""

from __future__ import annotations

from dataclasses import dataclass

from babelguard.rejects import RejectLog
from babelguard.taxonomy import RTP_LX

SHOWN_LANGUAGES = ("en", "es", "ar", "hi", "zh-Hans", "sw")
HARMFUL, HARMLESS = "harmful", "benign"


@dataclass(frozen=True, slots=True)
class Example:
    """A text to try and its language."""

    text: str
    language: str


def examples(kind: str, nuances: tuple[str, ...] = ()) -> list[Example]:
    """Return one text a language, of the sample's test split.

    Args:
        kind: `HARMFUL` or `HARMLESS`.
        nuances: The sample's own grades to take, such as ``idiom`` or ``moderate``; all of the kind if empty.
    """
    from data_prep.source import SOURCES

    source = SOURCES.get("sample")
    found: dict[str, list[Example]] = {tag: [] for tag in SHOWN_LANGUAGES}
    for item in source.read(source.options(), RTP_LX, RejectLog()):
        fits = item.subset == kind and (not nuances or item.metadata.get("nuance") in nuances)
        if fits and item.split == "test" and item.register == "neutral" and item.language in found:
            found[item.language].append(Example(item.text, item.language))
    # Another meaning for every language: the same sentence six times would tell little.
    return [texts[place % len(texts)] for place, texts in enumerate(found.values()) if texts]
