"""The frame of a training, whatever its kind: one run folder, one process that writes, and no work done twice."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from evaluation.run_folder import RunFolder
from train.corpus import TrainingCorpus, read_corpus
from train.recipe import TrainPlan

TRAINED = "trained.json"
"""Stands in a run's folder when training has ended and `best/` holds what is best."""


def first_process() -> bool:
    """Tell whether this is the process that writes, of those that train together."""
    return os.environ.get("RANK", "0") == "0"


def sit(
    plan: TrainPlan[Any],
    fit: Callable[[TrainPlan[Any], TrainingCorpus, RunFolder], bool],
    finish: Callable[[TrainPlan[Any], TrainingCorpus, RunFolder], None],
) -> Path:
    """Train where a run stands, finish it when training has ended, and return the run's folder.

    Args:
        plan: The plan.
        fit: Trains, and tells whether it came to the end or to the limit of this sitting; not called once `TRAINED` is
            there.
        finish: Rates the held-out splits and writes the model card.

    Raises:
        UserError: The corpus cannot be read, or another process works in the folder.
    """
    corpus = read_corpus(plan)
    folder = RunFolder(plan.run_folder)
    with folder.locked() if first_process() else nullcontext():
        if first_process():
            folder.write_recipe(plan.resolved())
            folder.write_environment()
        if not (folder.path / TRAINED).is_file() and not fit(plan, corpus, folder):
            return folder.path
        if first_process():
            finish(plan, corpus, folder)
    return folder.path
