"""How figures are written: one way for every table, sentence and plot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from evaluation.report.evidence import Figure

Style = Literal["share", "coefficient", "signed", "count", "probability", "words", "points"]

_STATES = {"undefined": "undefined", "absent": "not measured", "not-covered": "not covered", "ok": ""}
_ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def number(value: float, style: Style = "coefficient") -> str:
    """Return a number as the report writes it, with a true minus sign and without a negative zero."""
    match style:
        case "share":
            text = f"{100 * value:.1f}%"
        case "points":
            text = f"{100 * value:+.1f} pts"
        case "signed":
            text = f"{value:+.2f}"
        case "count":
            text = f"{value:,.0f}"
        case "probability":
            text = "< 0.001" if value < 0.0005 else f"{value:.3f}"
        case _:
            text = f"{value:.2f}"
    if text.strip("+-0.% pts") == "":
        text = text.lstrip("+-")
    return text.replace("-", "−")


def shown(figure: Figure, style: Style = "coefficient") -> str:
    """Return a figure, or the word for why there is none."""
    return _STATES[figure.state] if figure.value is None else number(figure.value, style)


def interval(figure: Figure, style: Style = "coefficient") -> str:
    """Return a figure's interval; empty where it has none."""
    if figure.low is None or figure.high is None:
        return ""
    low, high = number(figure.low, style), number(figure.high, style)
    return f"{low.removesuffix('%').removesuffix(' pts')} to {high}"


def with_interval(figure: Figure, style: Style = "coefficient", confidence: float = 0.95) -> str:
    """Return a figure for a sentence, its interval in brackets."""
    ends = interval(figure, style)
    return f"{shown(figure, style)} ({percent(confidence)} interval {ends})" if ends else shown(figure, style)


def percent(share: float) -> str:
    """Return a share as a percentage without needless decimals."""
    return f"{round(100 * share, 3):g}%"


def ordinal(rank: int) -> str:
    """Return a rank in words."""
    return _ORDINALS[rank] if rank < len(_ORDINALS) else f"number {rank}"


def listed(names: Iterable[str]) -> str:
    """Return names as a list in a sentence."""
    *front, last = [*names] or [""]
    return f"{', '.join(front)} and {last}" if front else last


def plural(count: int, noun: str, many: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"
