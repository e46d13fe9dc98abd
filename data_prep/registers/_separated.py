"""Signs put between the letters of words: what spaced, dotted and zero-width texts share."""

from __future__ import annotations

from random import Random

from babelguard.languages import Language
from data_prep.register import Edit, chosen
from data_prep.register_words import UNSPACED_SCRIPTS, cluster_bounds, clusters, words

_SHORTEST = 3
"""Clusters of the shortest word that is taken apart."""


def separated(text: str, language: Language, strength: float, rng: Random, sign: str) -> list[Edit]:
    """Return a share of the words with `sign` between their grapheme clusters.

    In scripts that do not space their words a share of the gaps between clusters is filled instead. At least one word
    or gap is, where there is one long enough.
    """
    runs = [(start, end) for start, end, _ in words(text) if end - start >= _SHORTEST]
    if language.script in UNSPACED_SCRIPTS:
        gaps = [gap for start, end in runs for gap in cluster_bounds(text, start, end)[1:-1]]
        return [(gap, gap, sign) for gap in chosen(gaps, strength, rng)]
    if not text.isascii():
        runs = [(start, end) for start, end in runs if len(cluster_bounds(text, start, end)) > _SHORTEST]
    return [(start, end, sign.join(clusters(text, start, end))) for start, end in chosen(runs, strength, rng)]
