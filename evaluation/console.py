"""What the command prints: the plan of a dry run, and a compact table of what was found."""

from __future__ import annotations

import yaml
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from evaluation.measures import MACRO, MACRO_COMMON, Findings, Measure, Slice
from evaluation.measuring.subject import HUMAN_LEFT_OUT, HUMAN_PAIRS
from evaluation.recipe import Plan
from evaluation.run_folder import RunFolder

COLUMNS = (
    ("percentage_agreement", "agree", False),
    ("linear_kappa", "linear kappa", True),
    ("ac2", "AC2", False),
    ("signed_error", "error", False),
    ("macro_f1", "F1", False),
)
"""Metric, title, and whether there is room for its interval in eighty characters."""
SIDE_BY_SIDE = ("percentage_agreement", "linear_kappa")
PEOPLE = {HUMAN_PAIRS: "people: pairs", HUMAN_LEFT_OUT: "people: left out"}


def show_plan(plan: Plan) -> None:
    """Print the resolved recipe, and the work that a run would do."""
    from evaluation.evaluate import build_raters, open_corpus

    console = Console(highlight=False)
    console.print(yaml.safe_dump(plan.resolved(), sort_keys=False, allow_unicode=True), markup=False)
    corpus = open_corpus(plan)
    log = corpus.new_log()
    items = list(corpus.rated(log))
    languages = {item.language for item in items}
    contents = {item.source_id for item in items}
    console.print(f"Would rate {len(items):,} items: {len(contents):,} source_ids in {len(languages)} languages.")
    for rater in build_raters(plan, corpus):
        asked = sum(rater.accepts(item) for item in items)
        stored = sum(1 for _ in RunFolder(plan.run_folder).ratings(rater.name).read())
        console.print(f"  {rater.name}: {asked:,} items to rate, {stored:,} ratings stored.")
    for kind, count in sorted((log.counts() + log.left_out).items()):
        console.print(f"  rows left out, {kind}: {count:,}")
    console.print(f"Would write to {plan.run_folder}", soft_wrap=True)


def show_findings(findings: Findings, folder: RunFolder) -> None:
    """Print one line a rater, one line a rater and language, what a reader must know, and where the report is."""
    console = Console(highlight=False)
    several = len(findings.corpus["languages"]) > 1
    scope = "mean over languages and categories" if several else "mean over categories"
    share = findings.settings["confidence"]
    console.print(f"Agreement with people: {scope} (kappa linear, AC2 quadratic, {share:.0%} intervals)", markup=False)
    console.print(_summary(findings, several))
    if several:
        console.print("By language, mean over the rater's categories: agreement / linear kappa", markup=False)
        console.print(_by_language(findings))
    for note in findings.notes:
        console.print(f"- {note}", markup=False)
    for title, key in (("rows set aside", "set_aside"), ("rows left out", "left_out")):
        for kind, count in sorted(findings.corpus[key].items()):
            console.print(f"- {title}, {kind}: {count:,}", markup=False)
    for sentence, count in sorted(findings.corpus["remarks"].items()):
        console.print(f"- {sentence}: {count:,}", markup=False)
    console.print(f"Report: {folder.report}", markup=False, soft_wrap=True)


def _summary(findings: Findings, several: bool) -> Table:
    table = _plain_table()
    table.add_column("rater", no_wrap=True)
    for _, title, _ in COLUMNS:
        table.add_column(title, justify="right", no_wrap=True)
    for category in (MACRO, MACRO_COMMON):
        rows = _rows(findings, category, "macro" if several else "cell")
        if rows and category == MACRO_COMMON:
            table.add_section()
            table.add_row("[italic]same cells for all:[/italic]")
        for rater, figures in rows.items():
            cells = [_figure(figures.get(metric), interval) for metric, _, interval in COLUMNS]
            table.add_row(PEOPLE.get(rater, rater), *cells)
    return table


def _plain_table() -> Table:
    return Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1))


def _rows(findings: Findings, category: str, aggregate: str) -> dict[str, dict[str, Measure]]:
    rows: dict[str, dict[str, Measure]] = {}
    single = aggregate == "cell"
    for measure in findings.measures:
        whole = measure.slice == Slice() or (single and measure.slice == Slice(language=measure.slice.language))
        wanted = measure.rater in PEOPLE or measure.reference == "majority"
        if whole and wanted and measure.category == category and measure.aggregate == aggregate:
            rows.setdefault(measure.rater, {})[measure.metric] = measure
    return dict(sorted(rows.items(), key=lambda row: (row[0] not in PEOPLE, row[0])))


def _figure(measure: Measure | None, interval: bool) -> str:
    if measure is None:
        return ""
    if measure.value is None:
        return "undefined"
    if not interval or measure.low is None or measure.high is None:
        return f"{measure.value:.3f}"
    return f"{measure.value:.3f} [{measure.low:.2f}, {measure.high:.2f}]"


def _by_language(findings: Findings) -> Table:
    """Return agreement and linear kappa side by side, a line a language, a pair of columns a rater."""
    figures: dict[str, dict[tuple[str, str], float | None]] = {}
    raters: list[str] = []
    for measure in findings.measures:
        wanted = measure.rater == HUMAN_PAIRS or measure.reference == "majority"
        alone = measure.slice == Slice(language=measure.slice.language) and measure.slice.language is not None
        if (
            wanted
            and alone
            and measure.category == MACRO
            and measure.metric in {"percentage_agreement", "linear_kappa"}
        ):
            figures.setdefault(str(measure.slice.language), {})[measure.rater, measure.metric] = measure.value
            if measure.rater not in raters:
                raters.append(measure.rater)
    raters.sort(key=lambda rater: rater != HUMAN_PAIRS)
    table = _plain_table()
    table.add_column("language")
    for rater in raters:
        table.add_column(PEOPLE.get(rater, rater), justify="right")
    for tag, row in sorted(figures.items()):
        table.add_row(tag, *(_both(row, rater) for rater in raters))
    return table


def _both(row: dict[tuple[str, str], float | None], rater: str) -> str:
    values = [row.get((rater, metric)) for metric in SIDE_BY_SIDE]
    return " / ".join("  –  " if value is None else f"{value:.3f}" for value in values)
