"""What a trained classifier is: the part of a run folder from which its model is built again."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from babelguard.errors import UserError
from babelguard.recipe import RecipeModel
from train.classifier.columns import Columns
from train.classifier.options import BaseModelRecipe, HeadRecipe

FILE = "guard_spec.json"
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
    path = run / FILE
    try:
        return GuardSpec.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{run} holds no {FILE}; pass the folder that `python -m train.run` left.") from None
    except ValidationError:
        raise UserError(f"{path} does not describe a classifier guard of this format; train it anew.") from None
