"""The same texts for everyone: for each set of categories, the raters that cover it and the texts that all rated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from evaluation.comparing.stored_run import StoredRun
from evaluation.measuring.subject import HUMAN_LEFT_OUT, MAJORITY, Subject, make_subjects
from evaluation.metrics.levels import MISSING


@dataclass(frozen=True, slots=True, eq=False)
class SharedGround:
    """Raters, the categories that all of them cover, and the labelled texts in which all of them gave a level.

    Attributes:
        subjects: Who is measured; their levels are there for the shared texts alone.
        categories: Positions of the categories.
        kept: Item x category: a person and every rater gave a level.
        languages: Tags of the languages that have such texts.
        left_out: Language -> raters that gave no level there in any of the categories.
        missing: Rater -> texts of the other languages in which it lacks a level in some category.
        labelled: Labelled texts of the languages that are left.
        alone: Languages with texts of which no person has two others beside them; where there are such, people have no
            figure over the same cells and are not among the subjects.
    """

    subjects: tuple[Subject, ...]
    categories: tuple[int, ...]
    kept: NDArray[np.bool_]
    languages: tuple[str, ...]
    left_out: Mapping[str, tuple[str, ...]]
    missing: Mapping[str, int]
    labelled: int
    alone: tuple[str, ...] = ()

    @property
    def raters(self) -> tuple[str, ...]:
        """The raters' names, without people."""
        return tuple(subject.rater for subject in self.subjects if subject.rater != HUMAN_LEFT_OUT)

    @property
    def n_items(self) -> int:
        """Texts that are shared in some category."""
        return int(self.kept.any(axis=1).sum())


def subjects_of(run: StoredRun, reference: str, categories: Sequence[int]) -> list[Subject]:
    """Return the raters against a reference, and the person left out, where items have three annotators or more.

    Raises:
        UserError: The reference needs more annotators than the items have.
    """
    lines = make_subjects(run.items, run.tables, run.categories)
    chosen = [line for line in lines if line.rater in run.raters and line.reference == reference]
    if not chosen:
        raise UserError(
            f"The reference {reference} needs three annotators an item, and these have {run.items.annotators}; "
            f"take --reference {MAJORITY}."
        )
    people = [line for line in lines if line.rater == HUMAN_LEFT_OUT]
    return [replace(line, categories=_given(line, categories)) for line in [*people, *chosen]]


def _given(subject: Subject, categories: Sequence[int]) -> tuple[int, ...]:
    """Return the chosen categories in which the subject gave some level."""
    rated = np.any([pairing.levels != MISSING for pairing in subject.parts], axis=(0, 1))
    return tuple(c for c in categories if c in subject.categories and rated[c])


def find_grounds(run: StoredRun, subjects: Sequence[Subject]) -> list[SharedGround]:
    """Return a ground for every set of categories that tells raters apart, the widest first.

    The sets are what raters cover, and what any two of them share. A set whose raters share a wider one is left out,
    and so is a set of one rater alone where others are compared.
    """
    systems = [subject for subject in subjects if subject.rater != HUMAN_LEFT_OUT]
    covered = [frozenset(subject.categories) for subject in systems if subject.categories]
    sets = {*covered, *(one & other for one, other in combinations(covered, 2))} - {frozenset[int]()}
    found: dict[frozenset[str], frozenset[int]] = {}
    for categories in sorted(sets, key=lambda each: (-len(each), sorted(each))):
        raters = frozenset(subject.rater for subject in systems if categories <= set(subject.categories))
        if len(raters) > 1 or len(systems) == 1:
            found.setdefault(raters, categories)
    grounds = [share(run, subjects, sorted(each)) for each in found.values()]
    return [ground for ground in grounds if ground is not None]


def share(run: StoredRun, subjects: Sequence[Subject], categories: Sequence[int]) -> SharedGround | None:
    """Return what the subjects that cover some categories share there; `None` where that is no text."""
    inside = [subject for subject in subjects if set(categories) <= set(subject.categories)]
    raters = [subject for subject in inside if subject.rater != HUMAN_LEFT_OUT]
    truth = np.any([pairing.truth != MISSING for subject in raters for pairing in subject.parts], axis=0)
    wanted = np.zeros(truth.shape, dtype=np.bool_)
    wanted[:, list(categories)] = truth[:, list(categories)]
    given = {subject.rater: subject.parts[0].levels != MISSING for subject in raters}
    kept = wanted & np.all(list(given.values()), axis=0)
    tags = run.items.languages
    of_languages = {str(tag): tags == tag for tag in np.unique(tags[wanted.any(axis=1)])}
    languages = tuple(tag for tag, rows in of_languages.items() if kept[rows].any())
    if not languages:
        return None
    left = np.isin(tags, languages)
    people = [_masked(subject, kept) for subject in inside if subject.rater == HUMAN_LEFT_OUT]
    alone = tuple(tag for tag in languages if not all(_measured(line, kept, of_languages[tag]) for line in people))
    return SharedGround(
        subjects=(*(() if alone else people), *(_masked(subject, kept) for subject in raters)),
        categories=tuple(categories),
        kept=kept,
        languages=languages,
        left_out={
            tag: tuple(name for name, has in given.items() if not (has & wanted)[rows].any())
            for tag, rows in of_languages.items()
            if tag not in languages
        },
        missing={name: int((wanted & ~has)[left].any(axis=1).sum()) for name, has in given.items()},
        labelled=int(wanted[left].any(axis=1).sum()),
        alone=alone,
    )


def _measured(people: Subject, kept: NDArray[np.bool_], rows: NDArray[np.bool_]) -> bool:
    """Tell whether somebody is measured against two others in every category of a language that has shared texts."""
    pairs = [(part.levels[rows] != MISSING) & (part.truth[rows] != MISSING) for part in people.parts]
    return bool((np.any(pairs, axis=0).any(axis=0) | ~kept[rows].any(axis=0)).all())


def _masked(subject: Subject, kept: NDArray[np.bool_]) -> Subject:
    parts = (replace(pairing, levels=np.where(kept, pairing.levels, MISSING)) for pairing in subject.parts)
    return replace(subject, parts=tuple(parts))
