"""Command line: `python -m evaluation.rtp_lx_published FOLDER` checks our figures against the published tables.

The published cells are rounded to three decimals as numpy rounds float64, a language's average is the mean of its
rounded cells, and the mean of the human pairs is the mean of the rounded pairs. That convention lives here alone:
it is for this comparison, and no other figure of Babelguard is rounded before it is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from babelguard.command import run_command
from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.languages import language
from babelguard.rejects import RejectLog
from babelguard.taxonomy import RTP_LX
from evaluation.metrics.cohen_kappa import cohen_kappa
from evaluation.metrics.consensus import consensus
from evaluation.metrics.levels import MISSING, IntArray
from evaluation.metrics.percentage_agreement import percentage_agreement

PUBLISHED_FILE = "published_prompt_agreement.json"
METRICS = ("weighted_kappa", "percentage_agreement")
DECIMALS = 3

Cells = dict[str, float]


def rounded(value: float) -> float:
    """Return a figure as the published tables print it."""
    return float(np.round(np.float64(value), DECIMALS))


def with_average(cells: Cells) -> Cells:
    """Return the rounded cells and their average, which is a mean of rounded cells."""
    return {**cells, "avg": rounded(float(np.mean(list(cells.values()))))}


def agreement_cells(rater: IntArray, reference: IntArray, metric: str, categories: tuple[str, ...]) -> Cells:
    """Return a table's line: the rounded figure of each category, and their average.

    Args:
        rater: Item x category.
        reference: Item x category.
        metric: ``weighted_kappa`` (linear) or ``percentage_agreement``.
        categories: Names of the categories, in the order of the columns.
    """
    cells = {}
    for column, name in enumerate(categories):
        ours, theirs, scale = rater[:, column], reference[:, column], RTP_LX[name].scale
        if metric == "weighted_kappa":
            figure = cohen_kappa(ours, theirs, levels=scale, weights="linear")
        else:
            figure = percentage_agreement(ours, theirs, levels=scale)
        cells[name] = rounded(figure)
    return with_average(cells)


def language_table(items: list[Item], azure: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, Any]]:
    """Return one language's tables in the layout of the published file.

    Args:
        items: The language's prompts under the row filter ``published``.
        azure: Item id -> level by category, for the covered categories.
    """
    names = RTP_LX.names
    humans = np.array([[[item.labels[name][h] for name in names] for item in items] for h in range(3)])
    covered = tuple(name for name in names if any(name in levels for levels in azure.values()))
    judged = np.array([[azure.get(item.id, {}).get(name, MISSING) for name in covered] for item in items])
    majority = np.stack([consensus(humans[:, :, names.index(c)], levels=RTP_LX[c].scale) for c in covered], axis=1)
    tables: dict[str, dict[str, Any]] = {}
    for metric in METRICS:
        pairs = {
            f"human{i + 1}_human{j + 1}": agreement_cells(humans[i], humans[j], metric, names)
            for i, j in combinations(range(3), 2)
        }
        mean = {cell: rounded(float(np.mean([pair[cell] for pair in pairs.values()]))) for cell in (*names, "avg")}
        line = agreement_cells(judged, majority, metric, covered)
        tables[metric] = {"human_pairs": {**pairs, "human_avg": mean}, "acs": line}
    return tables


def recomputed_tables(folder: Path, locales: list[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return locale -> tables, computed from the files of the folder."""
    from data_prep.sources.rtp_lx import RtpLxOptions, read
    from evaluation.rater import Workbench
    from evaluation.raters.rtp_lx_acs import RtpLxAcsOptions, build

    rater = build("azure", RtpLxAcsOptions(path=folder), Workbench(RTP_LX, lambda splits: []))  # noqa: ARG005
    options = RtpLxOptions(path=folder, row_filter="published", languages=tuple(locales))
    by_language: dict[str, list[Item]] = {}
    for item in read(options, RTP_LX, RejectLog(strict=True)):
        by_language.setdefault(item.language, []).append(item)
    tables = {}
    for locale in locales:
        items = by_language[language(locale).tag]
        levels = {
            rating.item: {name: score.level for name, score in rating.scores.items() if score.level is not None}
            for rating in rater.rate(items)
        }
        tables[locale] = language_table(items, levels)
    return tables


def read_published(folder: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Read the published tables.

    Raises:
        UserError: The file is not in the folder.
    """
    path = folder / PUBLISHED_FILE
    try:
        loaded: dict[str, dict[str, dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; pass the folder that holds the published tables.") from None
    return loaded


def flat_cells(tables: Mapping[str, Any], at: tuple[str, ...] = ()) -> dict[tuple[str, ...], float]:
    """Return every figure of nested tables by its path."""
    cells: dict[tuple[str, ...], float] = {}
    for key, value in tables.items():
        if isinstance(value, Mapping):
            cells.update(flat_cells(value, (*at, key)))
        else:
            cells[*at, key] = value
    return cells


def main(folder: Annotated[Path, typer.Argument(help="Folder of the RTP-LX files and the published tables.")]) -> None:
    """Recompute the published human and Azure agreement on RTP-LX prompts, and count the cells that are equal."""
    published = read_published(folder)
    ours = flat_cells(recomputed_tables(folder, list(published)))
    theirs = flat_cells(published)
    wrong = [path for path in theirs if ours.get(path) != theirs[path]]
    for path in wrong:
        typer.echo(f"{' / '.join(path)}: published {theirs[path]}, recomputed {ours.get(path)}")
    typer.echo(f"{len(theirs) - len(wrong)} of {len(theirs)} published cells are equal, in {len(published)} languages.")
    raise typer.Exit(1 if wrong else 0)


if __name__ == "__main__":
    run_command(main, name="python -m evaluation.rtp_lx_published")
