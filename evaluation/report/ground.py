"""Common ground: the languages and categories on which every rater can be compared with every other."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.report.evidence import ABSENT, KAPPA, Evidence, Figure, Subject, cell, mean_of


class CommonGround:
    """The language x category cells in which all raters have a defined kappa.

    Where raters cover different categories or languages, their overall means are about different things. Means over
    these cells are not: every rater is measured on the same ones. The report takes them from the cells' figures, so
    they have no interval.

    Attributes:
        same_coverage: All raters cover the same categories and languages, so that measured means compare already.
        categories: The categories that all raters cover.
        languages: The languages in which all raters have figures.
        cells: (language, category) pairs that count.
        left_out: Pairs that all cover, but in which some kappa is undefined.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        systems = evidence.systems
        names = [category.name for category in evidence.categories]
        tongues = [evidence.languages_with_figures(subject) for subject in systems]
        self.categories = tuple(name for name in names if all(name in subject.covers for subject in systems))
        self.languages = tuple(tag for tag in evidence.languages if all(tag in tags for tags in tongues))
        self.same_coverage = len({frozenset(s.covers) for s in systems}) <= 1 and len(set(tongues)) <= 1
        self.subjects = (*evidence.people, *systems)
        pairs = [(tag, name) for tag in self.languages for name in self.categories]
        self.cells = [pair for pair in pairs if self._all_defined(*pair)]
        self.left_out = len(pairs) - len(self.cells)

    def mean(
        self,
        metric: str,
        subject: Subject,
        languages: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
    ) -> Figure:
        """Return the mean over categories of the means over languages, on the cells that count."""
        by_category: dict[str, list[Figure]] = {}
        for tag, name in self.cells:
            if (languages is None or tag in languages) and (categories is None or name in categories):
                by_category.setdefault(name, []).append(self._evidence.figure(metric, subject, name, cell(tag)))
        if not by_category:
            return ABSENT
        return mean_of([mean_of(figures) for figures in by_category.values()])

    def _all_defined(self, language: str, category: str) -> bool:
        figures = [self._evidence.figure(KAPPA, subject, category, cell(language)) for subject in self.subjects]
        return all(figure.state == "ok" for figure in figures)
