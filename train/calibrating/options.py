"""The options of calibration, as a training recipe's block `calibration` gives them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from babelguard.item import Role
from babelguard.recipe import RecipeModel


class LevelOptions(RecipeModel):
    """How probabilities become levels."""

    rule: Literal["cross-validated", "shares", "kappa", "pooled"] = Field(
        "cross-validated",
        description="How a language gets its own thresholds: shares or kappa, of which only k is chosen; pooled: not "
        "at all; cross-validated: whichever of these is best on held-out contents",
    )
    max_interval: float = Field(
        0.25,
        gt=0,
        le=1,
        description="A language gets its own thresholds where the 95% interval of a share of one half would be at most "
        "this wide (0-1) with its labelled items",
    )
    shrinkage: tuple[Annotated[float, Field(ge=0)], ...] = Field(
        (0.0, 10.0, 30.0, 100.0, 300.0),
        min_length=1,
        description="Values of k to choose from, in items: a language's own value weighs n / (n + k)",
    )
    candidates: int = Field(
        40, ge=2, le=1000, description="Candidate thresholds of one column, quantiles of its scores"
    )


class FlagOptions(RecipeModel):
    """How probabilities become flags."""

    target_false_positives: float = Field(
        0.01, gt=0, lt=0.5, description="Share of benign items that may be flagged in any category"
    )
    above: int = Field(1, ge=1, description="A category is flagged by its P(level > above); at most its scale less 1")
    per_language: Literal["cross-validated", "never"] = "cross-validated"
    max_interval: float = Field(
        0.06,
        gt=0,
        le=1,
        description="A language gets its own thresholds where the 95% interval of a false-positive rate at the target "
        "would be at most this wide (0-1) with its benign items",
    )
    shrinkage: tuple[Annotated[float, Field(ge=0)], ...] = Field(
        (50.0, 100.0, 300.0, 1000.0), min_length=1, description="Values of k to choose from, in benign items"
    )


class CalibrationOptions(RecipeModel):
    """How logits become probabilities, levels and flags."""

    method: Literal["none", "temperature", "platt", "isotonic"] = "platt"
    per_language: Literal["cross-validated", "never"] = "cross-validated"
    deviations: tuple[Annotated[float, Field(gt=0)], ...] = Field(
        (0.25, 0.5, 1.0, 2.0),
        min_length=1,
        description="Standard deviations to choose from, in logits: how far a language's calibration may lie from the "
        "pooled one",
    )
    folds: int = Field(5, ge=2, le=20, description="Parts of the cross-validation, by source_id")
    bins: int = Field(15, ge=2, le=100, description="Bins of the expected calibration error")
    roles: tuple[Role, ...] | None = Field(
        None,
        description="Roles that level thresholds are fitted on; all if not set. Probabilities and flags use all items",
    )
    registers: tuple[str, ...] | None = Field(
        None, description="Registers that level thresholds are fitted on, likewise"
    )
    levels: LevelOptions = LevelOptions()
    flags: FlagOptions = FlagOptions()
    seed: int = Field(0, ge=0, description="Seed of the bootstrap behind standard errors")
