"""A finished run, with all that its export needs: recipe, corpus, calibration and the trained guard."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from babelguard.recipe import validate
from serve.bundle import BundleCategory
from train.calibrating.block import CalibrationBlock, read_block
from train.decisions import bundle_categories
from train.exporting.options import ExportOptions
from train.recipe import TrainPlan, load_plan
from train.run_spec import FILE

RECIPE = "recipe.yaml"


@dataclass(frozen=True)
class TrainedRun:
    """A run's folder, read.

    Attributes:
        folder: The folder.
        plan: Its recipe, with overrides.
        options: How to export it.
        block: Its calibration and thresholds.
    """

    folder: Path
    plan: TrainPlan[Any]
    options: ExportOptions
    block: CalibrationBlock

    @property
    def categories(self) -> tuple[BundleCategory, ...]:
        """The categories in the columns' order."""
        return bundle_categories(self.plan.taxonomy)


def kind_of(run: Path) -> str:
    """Return the kind of guard that a run trained.

    Raises:
        UserError: The folder is not a run's.
    """
    path = run / FILE
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{run} holds no {FILE}; pass the folder that `python -m train.run` left.") from None
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise UserError(f"{path} is not JSON; train the guard again.") from None
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        raise UserError(f"{path} does not say what kind of guard it is; train the guard again.")
    return str(record["kind"])


def read_plan(run: Path, overrides: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> TrainPlan[Any]:
    """Read the recipe of a run.

    Raises:
        UserError: The folder holds none, or an override is wrong.
    """
    path = run / RECIPE
    if not path.is_file():
        raise UserError(f"{run} holds no {RECIPE}; pass the folder that `python -m train.run` left.")
    return load_plan(path, overrides, os.environ if environment is None else environment)


def read_run(run: Path, overrides: Sequence[str] = ()) -> TrainedRun:
    """Read a run for its export.

    Raises:
        UserError: The folder is not a finished run's, or an option is wrong.
    """
    plan = read_plan(run, overrides)
    options = validate(plan.recipe.export, ExportOptions, f"{run / RECIPE}, export", ("export",))
    return TrainedRun(run, plan, options, read_block(run))
