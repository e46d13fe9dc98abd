"""A plot as the templates draw it: panels with their text alternatives, a legend, and the numbers as a table."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from evaluation.report.evidence import Subject
from evaluation.report.tables import Grid

TOGETHER = 4
"""Up to this many raters, people included, share one panel; more get one each, the others in grey."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing and what it shows, for those who do not see it.

    Attributes:
        subject: Whose panel it is; `None` where all raters share it.
        drawing: The SVG element.
        alternative: The drawing in words.
    """

    subject: Subject | None
    drawing: Markup
    alternative: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot with everything around it."""

    title: str
    panels: tuple[Panel, ...]
    legend: tuple[Subject, ...]
    numbers: Grid
