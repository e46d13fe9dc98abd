"""Where every rating went: a level, or the reason why there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from babelguard.rating import Status
from evaluation.measures import StatusCount
from evaluation.report.evidence import ABSENT, Evidence, Figure
from evaluation.report.languages import language_name

OK = Status.OK.value
NOT_COVERED = Status.NOT_COVERED.value
STATUS_MEANINGS = {
    Status.UNPARSED: "the answer names no level for the category",
    Status.OUT_OF_RANGE: "a number off the category's scale",
    Status.AMBIGUOUS: "more than one level, or one between two",
    Status.NOT_APPLICABLE: "the rater said that the category does not apply",
    Status.REFUSED: "the rater declined to answer",
    Status.BLOCKED: "a filter in front of the rater stopped the request",
    Status.TRUNCATED: "the answer ended before the category",
    Status.ERROR: "the rater failed",
    Status.NOT_COVERED: "the rater does not know the category; never counted as harmless",
    Status.VOID: "the rater was shown something other than the item",
}


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One line of the account: `total` is the sum of `levels` and `missing`."""

    label: str
    second: str
    total: int
    levels: int
    missing: tuple[int, ...]

    @property
    def adds_up(self) -> bool:
        """Whether the parts make the whole."""
        return self.total == self.levels + sum(self.missing)


@dataclass(frozen=True, slots=True)
class RaterCoverage:
    """One rater's account, by language and by category."""

    label: str
    mark: int
    by_language: tuple[CoverageRow, ...]
    by_category: tuple[CoverageRow, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """The account of all raters.

    Attributes:
        statuses: The statuses that occur, `ok` apart.
        overall: One row a rater.
        raters: The details.
        complaint: A sentence where items x categories is not what was counted; empty where it is.
    """

    statuses: tuple[str, ...]
    overall: tuple[CoverageRow, ...]
    raters: tuple[RaterCoverage, ...]
    complaint: str

    @property
    def meanings(self) -> tuple[tuple[str, str], ...]:
        """The statuses that occur, with what they mean."""
        known = {status.value: meaning for status, meaning in STATUS_MEANINGS.items()}
        return tuple((status, known.get(status, "as its name says")) for status in self.statuses)


def levels_given(statuses: Iterable[StatusCount], raters: Sequence[str]) -> Figure:
    """Return the share of the ratings with a level, on the categories that the raters cover."""
    counts: Counter[str] = Counter()
    for entry in statuses:
        if entry.rater in raters and entry.status != NOT_COVERED:
            counts[entry.status] += entry.count
    total = sum(counts.values())
    return Figure(counts[OK] / total, n_items=total) if total else ABSENT


def coverage(evidence: Evidence) -> Coverage:
    """Build the account."""
    entries = evidence.findings.statuses
    order = [status.value for status in Status]
    occurring = {entry.status for entry in entries if entry.status != OK and entry.count}
    statuses = tuple(sorted(occurring, key=lambda s: (order.index(s) if s in order else len(order), s)))
    account = _Account(evidence, statuses)
    names = dict.fromkeys([*evidence.humans, *(s.rater for s in evidence.systems), *(e.rater for e in entries)])
    present = [name for name in names if name in account.counts]
    return Coverage(
        statuses=statuses,
        overall=tuple(account.row(name, account.items_text(name), rater=name) for name in present),
        raters=tuple(account.details(name) for name in present),
        complaint=account.complaint(present),
    )


class _Account:
    """Adds counts up along any of their fields."""

    def __init__(self, evidence: Evidence, statuses: tuple[str, ...]) -> None:
        self.evidence = evidence
        self.statuses = statuses
        self.counts: dict[str, dict[tuple[str, str], Counter[str]]] = {}
        for entry in evidence.findings.statuses:
            cells = self.counts.setdefault(entry.rater, {})
            cells.setdefault((entry.language, entry.category), Counter())[entry.status] += entry.count

    def row(
        self, label: str, second: str, *, rater: str, language: str | None = None, category: str | None = None
    ) -> CoverageRow:
        added: Counter[str] = Counter()
        for key, counts in self.counts[rater].items():
            if language in (None, key[0]) and category in (None, key[1]):
                added.update(counts)
        missing = tuple(added[status] for status in self.statuses)
        return CoverageRow(label, second, sum(added.values()), added[OK], missing)

    def items(self, rater: str, language: str) -> set[int]:
        """Return the numbers of items that the categories of one language were counted on: one, if all is well."""
        return {
            sum(self.counts[rater].get((language, category.name), Counter()).values())
            for category in self.evidence.categories
        }

    def languages(self, rater: str) -> list[str]:
        measured = {language for language, _ in self.counts[rater]}
        return [tag for tag in self.evidence.languages if tag in measured]

    def items_text(self, rater: str, language: str | None = None) -> str:
        tags = [language] if language else self.languages(rater)
        found = [self.items(rater, tag) for tag in tags]
        if any(len(numbers) != 1 for numbers in found):
            return "uneven"
        return f"{sum(next(iter(numbers)) for numbers in found):,} × {len(self.evidence.categories)}"

    def details(self, rater: str) -> RaterCoverage:
        marks = {subject.rater: subject.mark for subject in self.evidence.systems}
        tags = self.languages(rater)
        by_language = tuple(
            self.row(language_name(tag), self.items_text(rater, tag), rater=rater, language=tag) for tag in tags
        )
        by_category = tuple(
            self.row(language_name(tag), category.title, rater=rater, language=tag, category=category.name)
            for tag in tags
            for category in self.evidence.categories
        )
        return RaterCoverage(rater, marks.get(rater, 0), by_language, by_category)

    def complaint(self, raters: Sequence[str]) -> str:
        uneven = [name for name in raters if self.items_text(name) == "uneven"]
        if not uneven:
            return ""
        return (
            f"The count of ratings is not items × categories for {', '.join(uneven)}: "
            "its categories were not all asked of the same items."
        )
