"""What the command prints: sheets, what is missing, means of a review, and how well people agree."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from babelguard.item import Item
from data_prep.annotating.batch import Batch
from data_prep.annotating.columns import rated_taxonomy
from data_prep.annotating.export import SEND, Exported
from data_prep.annotating.merge import Missing
from data_prep.reliability import FIGURES, Reliability, mean_over_categories

SHORT = ("agree", "kappa", "alpha", "AC2")


def show_exported(exported: Exported) -> None:
    """Print the sheets and where they are."""
    console = Console(highlight=False)
    for sheet in exported.batch.sheets:
        console.print(f"{sheet.name}: {len(sheet.rows):,} rows", markup=False)
    for reason, count in exported.left_out.items():
        console.print(f"- {count:,} rows left out: {reason}", markup=False)
    if exported.rejected:
        told = f"{len(exported.rejected):,} rows could not be read (key/rejected.jsonl), the first:"
        console.print(f"- {told} {exported.rejected[0].sentence()}", markup=False, soft_wrap=True)
    console.print(f"Send: {exported.folder / SEND}", markup=False, soft_wrap=True)
    console.print(f"Keep: {exported.folder / 'key'}", markup=False, soft_wrap=True)


def show_missing(missing: Sequence[Missing]) -> None:
    """Print how many answers each person owes."""
    table = _table("Answers", ("language", "person", "asked", "given", "missing"), left=2)
    for one in missing:
        told = f"{one.missing:,}" if one.returned else f"{one.missing:,} (sheet not returned)"
        table.add_row(one.language, one.person, f"{one.asked:,}", f"{one.given:,}", told)
    Console(highlight=False).print(table)


def show_reliability(found: Sequence[Reliability]) -> None:
    """Print how well people agree, by language, role and category, with the mean over categories."""
    table = _table("Agreement", ("language and role", "category", "items", *SHORT), left=2)
    for group, mean in mean_over_categories(found).items():
        name = f"{' '.join(group)}: {mean['annotators']} people"
        for one in found:
            if one.group == group:
                table.add_row(name, one.category, f"{one.items:,}", *(_figure(value) for value in one.figures()))
                name = ""
        table.add_row("", "mean", "", *(_figure(mean[figure]) for figure in FIGURES))
        table.add_section()
    Console(highlight=False).print(table)


def show_review(batch: Batch, merged: Sequence[Item]) -> None:
    """Print the mean of each question by language, over the answers that were given."""
    rubric = rated_taxonomy(batch)
    table = _table("Fidelity: mean level (answers of those asked)", ("language", *rubric.names), left=1)
    for tag in batch.languages:
        cells = []
        for name in rubric.names:
            levels = [level for item in merged if item.language == tag for level in item.labels[name]]
            given = [level for level in levels if level is not None]
            mean = f"{sum(given) / len(given):.2f}" if given else "–"
            cells.append(f"{mean} ({len(given)} of {len(levels)})")
        table.add_row(tag, *cells)
    Console(highlight=False).print(table)


def _table(title: str, heads: Sequence[str], left: int) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for place, head in enumerate(heads):
        if place < left:
            table.add_column(head, overflow="fold")
        else:
            table.add_column(head, justify="right", no_wrap=True, min_width=max(5, len(head)))
    return table


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
