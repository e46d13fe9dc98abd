"""`calibration.json`: the blocks of `guard.json` that calibration makes, and what was found while making them."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import Field, ValidationError

from babelguard.errors import UserError
from babelguard.recipe import RecipeModel
from serve.bundle import Calibration, Thresholds
from train.calibrating.options import CalibrationOptions

FILE = "calibration.json"


class Choice(RecipeModel):
    """One way of having values per language, as the cross-validation (by source_id) saw it.

    Attributes:
        name: What was tried, such as ``shares, k = 10``; ``pooled`` is the same for all languages.
        score: The held-out figure.
        gain: How much better it is than pooled.
        error: Standard error of the gain, by a bootstrap over source_ids; 0 for pooled.
    """

    name: str
    score: float
    gain: float
    error: float


class Selection(RecipeModel):
    """What was chosen, and from what.

    Attributes:
        what: ``calibration``, ``levels`` or ``flags``.
        figure: The figure that decided, and which way is better.
        chosen: Name of the choice.
        choices: All of them, pooled first.
    """

    what: str
    figure: str
    chosen: str
    choices: tuple[Choice, ...] = ()


class Reliability(RecipeModel):
    """How well probabilities agree with shares, for one column, before and after calibration.

    Attributes:
        category: Category.
        above: The level that must be exceeded.
        items: Items with a level.
        positives: Items above the level.
        ece: Expected calibration error (0-1) of the raw and of the calibrated probabilities.
        brier: Brier score (0-1), likewise.
    """

    category: str
    above: int
    items: int
    positives: int
    ece: tuple[float, float]
    brier: tuple[float, float]


class CalibrationBlock(RecipeModel):
    """What calibration made.

    Attributes:
        calibration: Block of `guard.json`.
        thresholds: Block of `guard.json`.
        selections: Which values are per language, and why.
        reliability: A record a column, cross-validated: each item is judged by what was fitted without its source_id.
        remarks: Sentences for the model card.
        options: What it was fitted with.
    """

    calibration: Calibration
    thresholds: Thresholds
    selections: tuple[Selection, ...] = ()
    reliability: tuple[Reliability, ...] = ()
    remarks: tuple[str, ...] = Field(())
    options: CalibrationOptions | None = None


def write_block(run: Path, block: CalibrationBlock) -> Path:
    """Write `calibration.json` into a run folder and return its path."""
    path = run / FILE
    path.write_text(block.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return path


def read_block(run: Path) -> CalibrationBlock:
    """Read `calibration.json` of a run folder.

    Raises:
        UserError: It is missing, or not of this form.
    """
    path = run / FILE
    try:
        return CalibrationBlock.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} is missing; make it with `python -m train.calibrate {run}`.") from None
    except (ValidationError, json.JSONDecodeError):
        raise UserError(f"{path} is not what train.calibrate writes; run `python -m train.calibrate {run}`.") from None
