"""The specification in a run's folder: what its guard is, read as the model of its kind."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from babelguard.errors import UserError
from babelguard.recipe import RecipeModel

FILE = "guard_spec.json"

Spec = TypeVar("Spec", bound=RecipeModel)


def read_run_spec(run: Path, model: type[Spec], kind: str) -> Spec:
    """Read the specification of a run.

    Args:
        run: The run's folder.
        model: What it is read as.
        kind: The kind of guard, for messages.

    Raises:
        UserError: The folder holds none, or one of another kind or format.
    """
    path = run / FILE
    try:
        return model.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{run} holds no {FILE}; pass the folder that `python -m train.run` left.") from None
    except ValidationError:
        raise UserError(f"{path} does not describe a {kind} guard of this format; train it anew.") from None
