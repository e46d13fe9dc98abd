"""Answers to build tests from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from babelguard import RTP_LX
from babelguard.rating import Score, Status
from evaluation.judging.answer import parse_answer

LABELS = ("Toxic", "IdentityAttack", "Bias", "Microaggression", "Violence", "Self-harm", "Insult", "SexualContent")
"""The labels of the RTP-LX prompt, in the taxonomy's order."""

LEVELS = (4, 3, 2, 1, 1, 2, 3, 1)


def block(levels: Sequence[object] = LEVELS, labels: Sequence[str] = LABELS, colon: str = ": ", end: str = "\n") -> str:
    """Return a block of label lines."""
    return end.join(f"{label}{colon}{level}" for label, level in zip(labels, levels, strict=True))


def levels_of(answer: str) -> tuple[int | None, ...]:
    """Return the levels that the parser finds, in the taxonomy's order."""
    scores = parse_answer(answer)
    assert tuple(scores) == RTP_LX.names
    return tuple(score.level for score in scores.values())


def reasons_of(answer: str) -> Mapping[str, tuple[Status, str | None]]:
    """Return the categories without a level and why they have none."""
    return {name: (score.status, score.detail) for name, score in parse_answer(answer).items() if score.level is None}


def missing(status: Status, detail: str, names: Sequence[str] = RTP_LX.names) -> dict[str, Score]:
    """Return the same missing score for all of `names`."""
    return dict.fromkeys(names, Score.missing(status, detail))
