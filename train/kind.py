"""What a kind of guard is: options that a recipe sets, and the training itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelguard.recipe import RecipeModel
from babelguard.registry import Registry

if TYPE_CHECKING:
    from train.recipe import TrainPlan

GUARD_KINDS = Registry(kind="kind of guard", package="train.kinds", attribute="KIND")


@dataclass(frozen=True, slots=True)
class GuardKind:
    """One kind of guard: a module of `train.kinds`.

    Attributes:
        options: The recipe model of what stands beside the keys that all kinds share.
        export: The recipe model of the block `export`.
        train: Trains as a plan says, goes on where a killed run was, and returns the run's folder.
        work: Sentences that say what `train` would do, for a dry run.
        not_identity: Keys of its options that do not change the weights, so that a run can be resumed with others.
    """

    options: type[RecipeModel]
    export: type[RecipeModel]
    train: Callable[[TrainPlan[Any]], Path]
    work: Callable[[TrainPlan[Any]], Sequence[str]]
    not_identity: frozenset[str] = frozenset()
