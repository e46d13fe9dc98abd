"""After training: predictions of the held-out splits, calibration, figures and the model card."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.recipe import validate
from evaluation.run_folder import RunFolder
from train.calibrating import CalibrationBlock, CalibrationOptions, write_block
from train.calibrating.command import draw_block, fit_predictions
from train.classifier.columns import Columns, majority_levels
from train.classifier.judging import Reference
from train.classifier.load import TrainedGuard, load_trained
from train.classifier.options import ClassifierOptions
from train.classifier.spec import read_spec
from train.corpus import TrainingCorpus, shown_text
from train.corpus_recipe import Split
from train.decisions import bundle_categories, decide
from train.figures import Rated, figures_of
from train.intervals import language_intervals
from train.model_card import classifier_card
from train.predictions import Predictions, write_predictions
from train.recipe import TrainPlan
from train.sitting import TRAINED

HELD_OUT: tuple[Split, ...] = ("calibration", "test")


def finish(plan: TrainPlan[ClassifierOptions], corpus: TrainingCorpus, folder: RunFolder) -> None:
    """Write predictions, calibration, its diagrams, metrics and card into a run's folder.

    Raises:
        UserError: The block `calibration` of the recipe is wrong.
    """
    options = calibration_options(plan)
    guard = load_trained(folder.path, device="auto")
    found = {split: _predict(plan, corpus.items[split], guard) for split in HELD_OUT if corpus.items[split]}
    for split, predictions in found.items():
        write_predictions(predictions, folder.path / "predictions" / f"{split}.parquet")
    block = _calibrate(plan, corpus, found["calibration"], options)
    publish(plan, corpus, folder, found, block)


def publish(
    plan: TrainPlan[ClassifierOptions],
    corpus: TrainingCorpus,
    folder: RunFolder,
    found: Mapping[Split, Predictions],
    block: CalibrationBlock,
) -> None:
    """Write a calibration, its diagrams, and the metrics and card that follow from it into a run's folder.

    Args:
        plan: The plan.
        corpus: Its corpus.
        folder: The run's folder.
        found: Predictions of the held-out splits.
        block: The calibration.

    Raises:
        UserError: Predictions are of other items than the corpus holds.
    """
    for split, predictions in found.items():
        if predictions.items.tolist() != [item.id for item in corpus.items[split]]:
            raise UserError(
                f"{folder.path} holds predictions of other {split} items than its corpus has now; put the corpus back "
                "as it was, or train the guard anew."
            )
    write_block(folder.path, block)
    draw_block(folder.path, found["calibration"], bundle_categories(plan.taxonomy), calibration_options(plan), block)
    record = _record(plan, corpus, folder, found, block)
    folder.write_text("metrics.json", json.dumps(_plain(record), indent=2, ensure_ascii=False) + "\n")
    folder.write_text("README.md", classifier_card(plan.recipe, read_spec(folder.path), record, block))


def calibration_options(plan: TrainPlan[ClassifierOptions]) -> CalibrationOptions:
    """Return the options of calibration.

    Raises:
        UserError: The block `calibration` of the recipe is wrong.
    """
    return validate(plan.recipe.calibration, CalibrationOptions, f"The recipe of {plan.recipe.name}", ["calibration"])


def _predict(plan: TrainPlan[ClassifierOptions], items: list[Item], guard: TrainedGuard) -> Predictions:
    columns = Columns.of(plan.taxonomy)
    logits = guard.logits([shown_text(item) for item in items], plan.options.batches.evaluation_items)
    return Predictions.of(items, columns.titles, logits, columns.names, majority_levels(items, columns))


def _calibrate(
    plan: TrainPlan[ClassifierOptions], corpus: TrainingCorpus, predictions: Predictions, options: CalibrationOptions
) -> CalibrationBlock:
    elsewhere = {item.source_id for split in ("train", "test") for item in corpus.items[split]}
    return fit_predictions(predictions, bundle_categories(plan.taxonomy), options, elsewhere)


def _record(
    plan: TrainPlan[ClassifierOptions],
    corpus: TrainingCorpus,
    folder: RunFolder,
    found: Mapping[Split, Predictions],
    block: CalibrationBlock,
) -> dict[str, Any]:
    trained = json.loads((folder.path / TRAINED).read_text(encoding="utf-8"))
    splits, intervals = {}, {}
    for split, predictions in found.items():
        rated = _rated(plan, corpus.items[split], predictions, block)
        splits[split] = figures_of(rated, plan.taxonomy)
        intervals[split] = language_intervals(rated, predictions.source_ids, plan.taxonomy, seed=plan.recipe.seed)
    return {
        "selection": {key: trained[key] for key in ("metric", "value", "checkpoint", "steps", "planned_steps")},
        "items": {split: len(items) for split, items in corpus.items.items()},
        "trained_languages": sorted({item.language for item in corpus.items["train"]}),
        "sources": corpus.sources,
        "splits": splits,
        "intervals": intervals,
        "remarks": [*trained["remarks"], *block.remarks],
    }


def _rated(
    plan: TrainPlan[ClassifierOptions], items: list[Item], predictions: Predictions, block: CalibrationBlock
) -> Rated:
    reference = Reference.of(items, plan.taxonomy)
    levels, probabilities = decide(block, predictions, plan.taxonomy)
    first = [part.start for part in Columns.of(plan.taxonomy).slices]
    return Rated(
        levels, reference.truth, probabilities[:, first], reference.languages, reference.benign, reference.twins
    )


def _plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value, with NaN
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and np.isnan(value) else value
