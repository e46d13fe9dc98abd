"""Views as HTML: templates with every value escaped, for what Gradio's own components cannot show."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demo.agreement import AgreementTable, LanguagePlot, metric_meaning, metric_title, shade, written
from demo.batch import RatedRow, Tally
from demo.feedback import Disagreement
from demo.panel import Answer
from demo.runs import Run
from demo.spreadsheet import Spreadsheet
from demo.twins import TwinSet
from demo.verdict import Moderator, Verdict, language_name

if TYPE_CHECKING:
    import jinja2

_TEMPLATES = Path(__file__).resolve().parent / "templates"
ACTION_WORDS = {"allow": "Nothing to flag", "flag": "Flagged", "block": "Blocked"}
SERIES = 8
"""Colours for raters in plots; a ninth rater has the first one's."""


def header(moderator: Moderator) -> str:
    """Return the page's head: what guard and policy are in force."""
    manifest = moderator.guard.bundle
    claimed = [tag for tag, facts in manifest.languages.items() if facts.claimed]
    return _render("header", manifest=manifest, moderator=moderator, claimed=claimed)


def verdict_view(verdict: Verdict) -> str:
    """Return one text's verdict: decision, bars, and the windows that triggered it."""
    return _render("verdict", verdict=verdict, windows=windows_of(verdict))


def panel_view(verdict: Verdict, guard: str, answers: Sequence[Answer]) -> str:
    """Return what all raters say, one a row, the guard first."""
    return _render("panel", verdict=verdict, guard=guard, answers=answers)


def twins_view(twins: TwinSet) -> str:
    """Return the register twins and where the decision flips."""
    return _render("twins", twins=twins, leading=twins.original.leading)


def progress_view(done: int, total: int) -> str:
    """Return how far a batch is."""
    return _render("progress", done=done, total=total)


def batch_view(tally: Tally, sheet: Spreadsheet, flagged: Sequence[RatedRow], text_column: int) -> str:
    """Return the tally of a batch and what was unusual in its file, with the first flagged rows folded away."""
    return _render("batch", tally=tally, sheet=sheet, flagged=flagged, text_column=text_column)


def run_view(run: Run) -> str:
    """Return what a run is: corpus, raters and notes."""
    return _render("run", run=run)


def agreement_view(table: AgreementTable) -> str:
    """Return a table of agreement."""
    return _render("agreement", table=table)


def plot_view(plot: LanguagePlot) -> str:
    """Return a plot of agreement, language by language."""
    return _render("plot", plot=plot)


def report_view(run: Run) -> str:
    """Return the run's whole report, in a frame in which nothing runs.

    Raises:
        UserError: The report cannot be read.
    """
    return _render("report", document=run.report())


def feedback_view(kept: Sequence[Disagreement]) -> str:
    """Return a session's disagreements, their texts folded away."""
    return _render("feedback", kept=kept)


def disputed_view(verdict: Verdict | None) -> str:
    """Return the text that is being disagreed with, folded away, and what was decided."""
    return _render("disputed", verdict=verdict)


def note_view(sentence: str) -> str:
    """Return a sentence in small print."""
    return _render("note", sentence=sentence)


def message_view(sentence: str, *, wrong: bool = False) -> str:
    """Return a sentence for the person, marked as a mistake or not."""
    return _render("message", sentence=sentence, wrong=wrong)


def windows_of(verdict: Verdict) -> list[dict[str, Any]]:
    """Return the distinct windows that scored highest, with their categories; flagged categories' windows first."""
    found: dict[tuple[int, int], list[str]] = {}
    for category in sorted(verdict.categories, key=lambda category: -category.weight):
        found.setdefault(category.trigger, []).append(category.title)
    if verdict.windows < 2:
        return []
    return [
        {
            "titles": titles,
            "before": verdict.text[: span[0]],
            "inside": verdict.text[span[0] : span[1]],
            "after": verdict.text[span[1] :],
        }
        for span, titles in found.items()
    ]


def _few(names: Sequence[str], most: int = 3) -> str:
    """Return names as a list, the ones beyond the first few only counted."""
    if len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def plural(count: int, noun: str) -> str:
    """Return a count and its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _render(name: str, **values: Any) -> str:  # noqa: ANN401 - what a template shows
    return _environment().get_template(f"{name}.html.j2").render(**values)


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "language_name": language_name,
        "few": _few,
        "plural": plural,
        "percent": lambda share: f"{100 * share:.0f}%",
        "two": lambda value: f"{value:.2f}",
        "signed": lambda value: f"{value:+.2f}".replace("-0.00", "0.00").replace("-", "−"),
        "written": written,
        "shade": shade,
        "metric_title": metric_title,
        "metric_meaning": metric_meaning,
        "series": lambda number: number % SERIES + 1,
    }
    environment.globals |= {"ACTION_WORDS": ACTION_WORDS}
    return environment
