"""What the command prints: the plan of a dry run, and what was built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from data_prep.building.card import figure, written
from data_prep.building.licence import check_use, terms_of
from data_prep.building.recipe import Plan
from data_prep.building.reliability_table import mean_rows
from data_prep.reliability import FIGURES


def show_plan(plan: Plan) -> None:
    """Print the resolved recipe and, part by part, how many items the source gives and under which licence.

    Raises:
        UserError: A part forbids the use that the recipe names, or cannot be read.
    """
    from babelguard.rejects import RejectLog

    console = Console(highlight=False)
    console.print(yaml.safe_dump(plan.resolved(), sort_keys=False, allow_unicode=True), markup=False)
    check_use(plan.recipe.use, [one for part in plan.parts for one in part.licences()])
    for part in plan.parts:
        log = RejectLog()
        count = sum(1 for _ in part.source.read(part.options, plan.taxonomy, log))
        gone = sum(log.counts().values()) + sum(log.left_out.values())
        use = terms_of(part.licence).commercial
        console.print(
            f"  {part.name}: {count:,} items to read, {gone:,} rows set aside or left out; commercial use {use}",
            markup=False,
        )
    console.print(f"Would write to {plan.recipe.folder}", soft_wrap=True, markup=False)


def show_manifest(manifest: Mapping[str, Any], folder: Path) -> None:
    """Print parts, splits, the annotators' agreement by language, and where the corpus is."""
    console = Console(highlight=False)
    console.print(_parts(manifest["parts"]))
    for line in _not_read(manifest["parts"]):
        console.print(line, markup=False, soft_wrap=True)
    for split, entry in manifest["splits"].items():
        console.print(f"{split}: {entry['items']:,} items in {len(entry['shards'])} shard(s)")
    proof = manifest["leak_check"]
    console.print(
        f"No leak: {proof['source_ids']:,} source_ids, {proof['clusters']:,} near-duplicate clusters and "
        f"{proof['texts']:,} texts are each in one split."
    )
    means = mean_rows(manifest["reliability"]["read"])
    if means:
        console.print(_agreement(means))
    console.print(f"Corpus: {folder}", markup=False, soft_wrap=True)


def _parts(parts: Sequence[Mapping[str, Any]]) -> Table:
    counts = {
        "rows": [part["rows"]["in_files"] for part in parts],
        "set aside": [_total(part["rows"], "set_aside") for part in parts],
        "left out": [_total(part["rows"], "left_out") for part in parts],
        "items": [part["items"]["read"] for part in parts],
        "twins": [part["items"]["made_by_registers"] for part in parts],
        "dropped": [_total(part["items"], "left_out") + _total(part["items"], "rejected") for part in parts],
        "written": [written(part) for part in parts],
    }
    shown = {title: column for title, column in counts.items() if title != "twins" or any(column)}
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for title in ("part", *shown):
        _add_column(table, title, {"part"})
    for part, *row in zip(parts, *shown.values(), strict=True):
        table.add_row(part["name"], *(f"{count:,}" for count in row))
    return table


def _not_read(parts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for part in parts:
        for file in part["rows"]["files"]:
            if "refused" in file:
                yield f"Not read, or not to its end: {file['path']} of {part['name']} ({file['refused']})"
    if any(part["rows"]["set_aside"] or part["rows"]["files_refused"] for part in parts):
        yield "rejected.jsonl names everything that could not be read, with file, line and reason."


def _total(account: Mapping[str, Any], how: str) -> int:
    return sum(account[how].values())


def _add_column(table: Table, title: str, left: set[str]) -> None:
    """Add a column; names give way before figures where a terminal is narrow."""
    if title in left:
        table.add_column(title, overflow="fold")
    else:
        table.add_column(title, justify="right", no_wrap=True, min_width=max(5, len(title)))


def _agreement(means: Mapping[tuple[str, ...], Mapping[str, Any]]) -> Table:
    table = Table(
        title="Agreement of the annotators as read, mean over categories",
        title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1),
    )  # fmt: skip
    for title in ("part and role", "language", "items", "agree", "kappa", "alpha", "AC2"):
        _add_column(table, title, {"part and role", "language"})
    for (part, role, tag), mean in means.items():
        figures = (figure(mean[name]) for name in FIGURES)
        table.add_row(f"{part} {role}", tag, f"{mean['items']:,}", *figures)
    return table
