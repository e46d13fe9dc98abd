"""Signs put between the letters of words: what spaced, dotted and zero-width texts share."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from babelguard.languages import Language
from data_prep.register import Edit
from data_prep.register_words import UNSPACED_SCRIPTS, WORD, cluster_bounds

_SHORTEST = 3
"""Clusters of the shortest word that is taken apart."""


def separated(text: str, language: Language, strength: float, rng: Random, sign: str) -> list[Edit]:
    """Return insertions of `sign` between the grapheme clusters of a share of the words.

    In scripts that do not space their words a share of the gaps is filled instead. At least one word or gap is, where
    there is one long enough.
    """
    runs = list(_runs(text))
    if not runs:
        return []
    if language.script in UNSPACED_SCRIPTS:
        gaps = [gap for run in runs for gap in run]
        kept = [gap for gap in gaps if rng.random() < strength] or [gaps[int(rng.random() * len(gaps))]]
    else:
        taken = [run for run in runs if rng.random() < strength] or [runs[int(rng.random() * len(runs))]]
        kept = [gap for run in taken for gap in run]
    return [Edit(gap, gap, sign) for gap in kept]


def _runs(text: str) -> Iterator[list[int]]:
    for match in WORD.finditer(text):
        bounds = cluster_bounds(text, match.start(), match.end())
        if len(bounds) > _SHORTEST:
            yield bounds[1:-1]
