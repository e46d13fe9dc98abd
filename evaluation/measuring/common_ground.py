"""Where all raters can be compared: the categories and languages in which every one of them gave levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.measuring.slices import Family
from evaluation.measuring.subject import Subject
from evaluation.metrics.levels import MISSING


@dataclass(frozen=True, slots=True)
class CommonGround:
    """What every rater that is not a person speaks about.

    Attributes:
        categories: Positions of the shared categories, those in which every one of them gave some level.
        languages: Tags of the languages in which all of them gave levels for these.
        partial: Some rater or some language is outside, so that means over everything do not compare.
    """

    categories: tuple[int, ...]
    languages: frozenset[str]
    partial: bool


def find_common_ground(subjects: Sequence[Subject], family: Family, n_categories: int) -> CommonGround:
    """Return the ground that all systems share within the family."""
    systems = [subject for subject in subjects if subject.system]
    shared = tuple(
        c
        for c in range(n_categories)
        if all(
            c in system.categories and (system.parts[0].levels[family.whole.mask, c] != MISSING).any()
            for system in systems
        )
    )
    languages = frozenset(
        tag
        for tag, part in family.languages.items()
        if all((system.parts[0].levels[part.mask][:, c] != MISSING).any() for system in systems for c in shared)
    )
    partial = len(shared) < n_categories or len(languages) < len(family.languages)
    return CommonGround(shared, languages, partial and bool(shared) and bool(languages))
