"""How often people and raters choose each level, and who uses a graded scale as yes or no."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.report.evidence import MAJORITY, CategoryInfo, Evidence
from evaluation.report.wording import listed, percent

SHADES = 5
_BINARY_FROM = 0.9
_BINARY_EXCESS = 0.1
_ENOUGH = 30


@dataclass(frozen=True, slots=True)
class Segment:
    """One level's share of the ratings."""

    level: int
    count: int
    share: float
    shade: int


@dataclass(frozen=True, slots=True)
class Bar:
    """One rater's ratings of a category.

    Attributes:
        label: Name for people.
        mark: Number of its colour; 0 is people's.
        total: Ratings with a level.
        segments: One a level.
        binary_use: Of the ratings above level 1, the share on the most used of them; `None` where there are none.
        binary: The rater uses a scale of three or more levels as if it had two, and people do not.
    """

    label: str
    mark: int
    total: int
    segments: tuple[Segment, ...]
    binary_use: float | None
    binary: bool = False


@dataclass(frozen=True, slots=True)
class Distribution:
    """One category's bars."""

    title: str
    levels: tuple[int, ...]
    bars: tuple[Bar, ...]


def binary_sentences(all_bars: Sequence[Distribution]) -> tuple[str, ...]:
    """Say which raters use graded scales as yes or no, and where."""
    found: dict[str, list[tuple[str, float, float]]] = {}
    for entry in all_bars:
        human = entry.bars[0].binary_use or 0.0
        for bar in entry.bars:
            if bar.binary and bar.binary_use is not None:
                found.setdefault(bar.label, []).append((entry.title, bar.binary_use, human))
    return tuple(
        f"{label} uses a graded scale almost as yes or no in {listed(title for title, _, _ in cases)}: "
        f"of its ratings above level 1, {_between(use for _, use, _ in cases)} are one and the same level "
        f"(of people's: {_between(human for _, _, human in cases)})."
        for label, cases in found.items()
    )


def _between(shares: Iterable[float]) -> str:
    rounded = sorted({round(share, 2) for share in shares})
    return percent(rounded[0]) if len(rounded) == 1 else f"{percent(rounded[0])} to {percent(rounded[-1])}"


def distributions(evidence: Evidence) -> tuple[Distribution, ...]:
    """Build the bars of every category, over all languages; people's are all annotators' ratings together."""
    counts: dict[tuple[str, str], Counter[int]] = {}
    for entry in evidence.findings.levels:
        counts.setdefault((entry.rater, entry.category), Counter())[entry.level] += entry.count
    built = []
    for category in evidence.categories:
        levels = _levels(category, [c for (_, name), c in counts.items() if name == category.name])
        bars = _bars(evidence, category.name, levels, counts)
        if bars:
            built.append(Distribution(category.title, levels, bars))
    return tuple(built)


def shade_of(level: int, levels: int) -> int:
    """Return the shade of a level: the whole range of shades whatever the scale's length."""
    return 1 if levels < 2 else 1 + round((level - 1) / (levels - 1) * (SHADES - 1))


def _bars(
    evidence: Evidence, category: str, levels: tuple[int, ...], counts: dict[tuple[str, str], Counter[int]]
) -> tuple[Bar, ...]:
    people = sum((counts.get((name, category), Counter()) for name in evidence.humans), Counter())
    human = _bar("People, all ratings", 0, people, levels)
    bars = [human]
    if len(evidence.humans) > 1 and (majority := counts.get((MAJORITY, category))):
        bars.append(_bar("People, majority", 0, majority, levels))
    for subject in evidence.systems:
        if chosen := counts.get((subject.rater, category)):
            bars.append(_bar(subject.label, subject.mark, chosen, levels, human))
    return tuple(bar for bar in bars if bar.total)


def _bar(label: str, mark: int, counts: Counter[int], levels: tuple[int, ...], human: Bar | None = None) -> Bar:
    total = sum(counts.values())
    segments = tuple(
        Segment(level, counts[level], counts[level] / total if total else 0.0, shade_of(level, len(levels)))
        for level in levels
    )
    above = [counts[level] for level in levels if level > 1]
    use = max(above) / sum(above) if sum(above) else None
    binary = (
        use is not None
        and human is not None
        and human.binary_use is not None
        and len(levels) > 2
        and sum(above) >= _ENOUGH
        and use >= _BINARY_FROM
        and use - human.binary_use >= _BINARY_EXCESS
    )
    return Bar(label, mark, total, segments, use, binary)


def _levels(category: CategoryInfo, counts: Iterable[Counter[int]]) -> tuple[int, ...]:
    seen = max((level for counter in counts for level in counter), default=1)
    return tuple(range(1, max(category.scale or 1, seen) + 1))
