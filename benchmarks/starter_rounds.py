"""What the rounds of the starter guard are worth: trained runs on RTP-LX's test prompts, one table.

    python benchmarks/starter_rounds.py RUN... [--except en]

Mean linear-weighted kappa with people's majority over categories, each the mean over the languages in which it is
defined, from the predictions and the calibration that each run left. The models are as they were trained, before any
export; `python -m evaluation.compare` measures bundles.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from babelguard.taxonomy import Taxonomy, taxonomy
from evaluation.metrics.cohen_kappa import cohen_kappa
from evaluation.metrics.levels import MISSING
from train.calibrating.block import read_block
from train.decisions import decide
from train.predictions import read_predictions


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--except", dest="without", nargs="*", default=["en"], help="languages to leave out")
    chosen = parser.parse_args()
    categories = taxonomy("rtp-lx")
    print("| run | mean | " + " | ".join(category.title for category in categories) + " |")
    print("|---|" + "--:|" * (len(categories) + 1))
    for run in chosen.runs:
        found = kappas(run, categories, chosen.without)
        print(f"| {run.name} | {np.mean(found):.3f} | " + " | ".join(f"{kappa:.3f}" for kappa in found) + " |")


def kappas(run: Path, categories: Taxonomy, without: Sequence[str]) -> list[float]:
    """Return the kappa of each category, the mean over the languages in which it is defined."""
    predictions = read_predictions(run / "predictions" / "test.parquet")
    levels, _ = decide(read_block(run), predictions, categories)
    truth = np.where(np.isnan(predictions.levels), MISSING, predictions.levels).astype(np.int64)
    counts = (predictions.roles == "prompt") & (predictions.registers == "neutral")
    counts &= ~np.isin(predictions.languages, list(without))
    found = []
    for column, category in enumerate(categories):
        by_language = []
        for tag in sorted(set(predictions.languages[counts].tolist())):
            rows = counts & (predictions.languages == tag)
            kappa = cohen_kappa(levels[rows, column], truth[rows, column], levels=category.scale, weights="linear")
            by_language.append(kappa)
        found.append(float(np.nanmean(by_language)))
    return found


if __name__ == "__main__":
    main()
