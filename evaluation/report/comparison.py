"""What all raters can be compared on: the same categories and languages for everyone."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.measures import MACRO, MACRO_COMMON, Slice
from evaluation.report.evidence import ABSENT, Evidence, Figure, Place, Subject, cell


@dataclass(frozen=True, slots=True)
class Comparison:
    """The mean that compares raters.

    Attributes:
        evidence: Where figures are looked up.
        mean: `MACRO` where all raters cover everything, `MACRO_COMMON` where they do not; `None` where they share
            nothing, so that no mean compares them.
        categories: The categories that all raters cover.
        languages: The languages in which that mean was measured.
    """

    evidence: Evidence
    mean: str | None
    categories: tuple[str, ...]
    languages: tuple[str, ...]

    @property
    def partial(self) -> bool:
        """Whether something had to be left out to compare like with like."""
        return self.mean != MACRO

    @property
    def place(self) -> Place:
        """Where the overall mean is."""
        everywhere = Place(Slice(), "macro")
        return everywhere if self.partial and len(self.evidence.languages) > 1 else self.evidence.home

    def overall(self, metric: str, subject: Subject) -> Figure:
        """Return the mean over all that is shared."""
        return self.at(metric, subject, self.place)

    def in_language(self, metric: str, subject: Subject, language: str) -> Figure:
        """Return the mean over the shared categories in one language."""
        return self.at(metric, subject, cell(language))

    def at(self, metric: str, subject: Subject, place: Place) -> Figure:
        """Return the mean over the shared categories at a place."""
        if self.mean is None:
            return ABSENT
        if self.mean == MACRO:
            return self.evidence.mean(metric, subject, self.categories, place)
        return self.evidence.figure(metric, subject, MACRO_COMMON, place)


def find_comparison(evidence: Evidence) -> Comparison:
    """Find what the raters share."""
    names = [category.name for category in evidence.categories]
    categories = tuple(name for name in names if all(name in subject.covers for subject in evidence.systems))
    tongues = [evidence.languages_of(subject) for subject in evidence.systems]
    shared = tuple(tag for tag in evidence.languages if all(tag in tags for tags in tongues))
    common = {
        m.slice.language
        for m in evidence.findings.measures
        if m.category == MACRO_COMMON and m.slice == Slice(language=m.slice.language)
    }
    if common:
        return Comparison(evidence, MACRO_COMMON, categories, tuple(t for t in evidence.languages if t in common))
    same = len({subject.covers for subject in evidence.systems}) <= 1 and len(set(tongues)) <= 1
    return Comparison(evidence, MACRO if same else None, categories, shared)
