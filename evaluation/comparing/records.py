"""A comparison as records for other programs: one JSON document, or one CSV table of every figure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from evaluation.comparing.comparison import Comparison, GroundFigures

COLUMNS = (
    "table",
    "ground",
    "metric",
    "rater",
    "reference",
    "other",
    "category",
    "language",
    "aggregate",
    "value",
    "low",
    "high",
    "p",
    "p_holm",
    "n_items",
    "n_clusters",
    "n_undefined",
)
"""Columns of the CSV; empty where a table has none. `ground` numbers the sets of categories, the widest first."""

AGREEMENT, DIFFERENCE, FLAGGED = "agreement", "difference", "flagged"


def to_json(comparison: Comparison) -> str:
    """Return one JSON document, its keys those of the dataclasses."""
    names = comparison.run.categories.names
    record: dict[str, Any] = {
        "runs": [str(folder) for folder in comparison.run.folders],
        "selection": asdict(comparison.selection),
        "intervals": asdict(comparison.run.intervals),
        "grounds": [_ground(each, names) for each in comparison.grounds],
        "leads": None if comparison.leads is None else asdict(comparison.leads),
        "flags": [row.to_row() for row in comparison.flags],
    }
    return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def to_csv(comparison: Comparison) -> str:
    """Return every figure as one row of `COLUMNS`."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(_rows(comparison))
    return text.getvalue()


def _ground(each: GroundFigures, names: tuple[str, ...]) -> dict[str, Any]:
    ground = each.ground
    return {
        "raters": list(ground.raters),
        "categories": [names[c] for c in ground.categories],
        "languages": list(ground.languages),
        "n_items": ground.n_items,
        "labelled": ground.labelled,
        "missing": dict(ground.missing),
        "left_out": {tag: list(raters) for tag, raters in ground.left_out.items()},
        "undefined": {
            metric: [
                {"language": tag, "category": names[c], "raters": list(raters)}
                for (tag, c), raters in figures.undefined.items()
            ]
            for metric, figures in each.metrics.items()
        },
        "measures": [row.to_row() for row in each.measures],
    }


def _rows(comparison: Comparison) -> Iterator[dict[str, Any]]:
    for number, each in enumerate(comparison.grounds, start=1):
        for row in each.measures:
            yield {"table": AGREEMENT, "ground": number, **row.to_row()}
    for difference in comparison.leads.differences if comparison.leads else ():
        yield {"table": DIFFERENCE, **difference.slice.to_row(), **asdict(difference)}
    for row in comparison.flags:
        yield {"table": FLAGGED, **row.to_row()}
