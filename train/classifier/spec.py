"""What a trained classifier is: the part of a run folder from which its model is built again."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from babelguard.recipe import RecipeModel
from train.classifier.columns import Columns
from train.classifier.options import BaseModelRecipe, HeadRecipe
from train.run_spec import FILE, read_run_spec

__all__ = ["ADAPTER_CONFIG", "FILE", "GuardSpec", "read_spec"]

ADAPTER_CONFIG = "adapter_config.json"


class GuardSpec(RecipeModel):
    """A classifier guard, without its weights.

    Attributes:
        format: Version of this record.
        kind: Kind of guard.
        taxonomy: Name of the taxonomy.
        categories: Categories in order.
        scales: Highest level of each.
        uncovered: Categories that no training item covers; their columns say "never exceeded".
        model: Base model, prefix, window and pooling; pooling is resolved, never auto.
        head: The head.
        adapter: Whether ``best/`` holds an adapter, or all weights.
        pad_token_id: What stands in for no token.
    """

    format: Literal[1] = 1
    kind: Literal["classifier"] = "classifier"
    taxonomy: str
    categories: tuple[str, ...]
    scales: tuple[int, ...]
    uncovered: tuple[str, ...] = ()
    model: BaseModelRecipe
    head: HeadRecipe
    adapter: bool
    pad_token_id: int

    @property
    def columns(self) -> Columns:
        """The columns of its logits."""
        return Columns(self.categories, self.scales)


def read_spec(run: Path) -> GuardSpec:
    """Read the specification of a run.

    Raises:
        UserError: The folder holds none, or one of another kind or format.
    """
    return read_run_spec(run, GuardSpec, "classifier")
