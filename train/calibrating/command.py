"""What `python -m train.calibrate` does: calibration and thresholds of a finished run, from its predictions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from babelguard.errors import UserError
from serve.bundle import BundleCategory
from train.calibrating.block import CalibrationBlock, Selection
from train.calibrating.cross_validation import chosen_deviation
from train.calibrating.data import benign_items, checked_data, chosen_items
from train.calibrating.fit import before_and_after, fit_block
from train.calibrating.options import CalibrationOptions
from train.calibrating.reliability_diagram import FILE, draw_reliability
from train.predictions import Predictions, read_predictions

if TYPE_CHECKING:
    from train.classifier.options import ClassifierOptions
    from train.recipe import TrainPlan


def calibrate_run(run: Path, overrides: Sequence[str] = (), *, write: bool = True) -> CalibrationBlock:
    """Calibrate a finished run.

    Args:
        run: The run's folder.
        overrides: ``a.b=c`` each, for the run's recipe.
        write: Whether to write `calibration.json`, the diagrams, and the metrics and card that follow.

    Raises:
        UserError: The run is not a finished classifier's, its corpus has changed, or an option is wrong.
    """
    from evaluation.run_folder import RunFolder
    from train.classifier.finish import HELD_OUT, calibration_options, publish
    from train.corpus import read_corpus
    from train.decisions import bundle_categories
    from train.exporting.trained_run import kind_of, read_plan
    from train.sitting import TRAINED

    if (kind := kind_of(run)) != "classifier":
        raise UserError(f"{run} trained a {kind} guard; only a classifier's logits are calibrated here.")
    if not (run / TRAINED).is_file():
        raise UserError(f"The training of {run} has not ended; start `python -m train.run` again to go on.")
    plan: TrainPlan[ClassifierOptions] = read_plan(run, overrides)
    options = calibration_options(plan)
    corpus = read_corpus(plan)
    found = {
        split: read_predictions(run / "predictions" / f"{split}.parquet") for split in HELD_OUT if corpus.items[split]
    }
    elsewhere = {item.source_id for split in ("train", "test") for item in corpus.items[split]}
    block = fit_predictions(found["calibration"], bundle_categories(plan.taxonomy), options, elsewhere)
    show(block)
    if write:
        folder = RunFolder(run)
        with folder.locked():
            publish(plan, corpus, folder, found, block)
        Console().print(
            f"Wrote calibration.json, reliability.png, metrics.json and README.md of {run}",
            soft_wrap=True,
            markup=False,
        )
    return block


def fit_predictions(
    predictions: Predictions,
    categories: Sequence[BundleCategory],
    options: CalibrationOptions,
    elsewhere: Collection[str],
) -> CalibrationBlock:
    """Fit calibration and thresholds on the predictions of a calibration split.

    Args:
        predictions: The predictions.
        categories: The categories in the columns' order.
        options: The options.
        elsewhere: The source_ids of the training and test splits.

    Raises:
        UserError: As `fit_block`.
    """
    everything = options.roles is None and options.registers is None
    roles = predictions.roles.tolist()
    chosen = chosen_items(roles, predictions.registers.tolist(), options.roles, options.registers)
    return fit_block(
        predictions.logits,
        predictions.levels,
        predictions.languages.tolist(),
        benign_items(roles, predictions.levels),
        predictions.source_ids.tolist(),
        categories,
        options,
        elsewhere,
        None if everything else chosen,
    )


def draw_block(
    run: Path,
    predictions: Predictions,
    categories: Sequence[BundleCategory],
    options: CalibrationOptions,
    block: CalibrationBlock,
) -> Path:
    """Draw reliability diagrams of a calibrated run, held-out probabilities beside raw ones, and return the file."""
    benign = benign_items(predictions.roles.tolist(), predictions.levels)
    languages, keys = predictions.languages.tolist(), predictions.source_ids.tolist()
    data = checked_data(predictions.logits, predictions.levels, languages, benign, keys, categories)
    options = options.model_copy(update={"method": block.calibration.method})
    before, after = before_and_after(data, options, chosen_deviation(block))
    return draw_reliability(run / FILE, before, after, data.exceeded, categories)


def show(block: CalibrationBlock) -> None:
    """Print what was chosen, and how well probabilities agree with shares."""
    console = Console(highlight=False)
    for selection in block.selections:
        for line in _lines(selection):
            console.print(line, markup=False, soft_wrap=True)
    if block.reliability:
        n = len(block.reliability)
        means = [sum(values) / n for values in zip(*((*r.ece, *r.brier) for r in block.reliability), strict=True)]
        console.print(
            f"Mean over {n} columns, held out: calibration error {means[0]:.3f} before and {means[1]:.3f} after, "
            f"Brier score {means[2]:.4f} before and {means[3]:.4f} after.",
            soft_wrap=True,
        )
    for remark in block.remarks:
        console.print(f"- {remark}", markup=False, soft_wrap=True)


def _lines(selection: Selection) -> list[str]:
    lines = [f"{selection.what}: {selection.chosen}, by {selection.figure}, cross-validated by source_id"]
    lines += [
        f"  {choice.name:<22}{choice.score:.4f}  gain {choice.gain:+.4f}, standard error {choice.error:.4f}"
        for choice in selection.choices
    ]
    return lines
