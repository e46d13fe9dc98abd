"""After training: predictions of the held-out splits, calibration, figures and the model card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.run_folder import RunFolder
from train.classifier.columns import Columns, majority_levels
from train.classifier.judging import Reference, judge, tuned_thresholds
from train.classifier.load import load_trained
from train.classifier.options import ClassifierOptions
from train.corpus import TrainingCorpus, shown_text
from train.predictions import Predictions, write_predictions
from train.recipe import TrainPlan

HELD_OUT = ("calibration", "test")


def finish(plan: TrainPlan[ClassifierOptions], corpus: TrainingCorpus, folder: RunFolder) -> None:
    """Write predictions, calibration, metrics and card into a run's folder."""
    found = {split: _predict(plan, corpus, folder.path, split) for split in HELD_OUT if corpus.items[split]}
    trained = json.loads((folder.path / "trained.json").read_text(encoding="utf-8"))
    splits = {}
    thresholds = None
    for split, predictions in found.items():
        reference = Reference.of(corpus.items[split], plan.taxonomy)
        if plan.options.selection.levels == "tuned" and split == "calibration":
            thresholds = tuned_thresholds(predictions.logits, reference)
        splits[split] = judge(predictions.logits, reference, thresholds)
    record = {
        "selection": {key: trained[key] for key in ("metric", "value", "checkpoint", "steps", "planned_steps")},
        "levels": plan.options.selection.levels,
        "items": {split: len(items) for split, items in corpus.items.items()},
        "sources": corpus.sources,
        "splits": splits,
        "remarks": trained["remarks"],
    }
    folder.write_text("metrics.json", json.dumps(_plain(record), indent=2, ensure_ascii=False) + "\n")


def _predict(plan: TrainPlan[ClassifierOptions], corpus: TrainingCorpus, run: Path, split: Any) -> Predictions:  # noqa: ANN401
    items = corpus.items[split]
    columns = Columns.of(plan.taxonomy)
    guard = load_trained(run, device="auto")
    logits = guard.logits([shown_text(item) for item in items], plan.options.batches.evaluation_items)
    levels = majority_levels(items, columns)
    predictions = Predictions.of(items, columns.titles, logits, columns.names, levels)
    write_predictions(predictions, run / "predictions" / f"{split}.parquet")
    return predictions


def _plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value, with NaN
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and np.isnan(value) else value
