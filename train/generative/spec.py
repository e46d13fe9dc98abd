"""What a trained generative guard is: the part of a run folder from which it is loaded, rated with and exported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from babelguard.recipe import RecipeModel
from train.generative.options import AnswerRecipe, CausalModelRecipe
from train.run_spec import read_run_spec


class GenerativeSpec(RecipeModel):
    """A generative guard, without its weights.

    Attributes:
        format: Version of this record.
        kind: Kind of guard.
        name: The guard's name.
        version: The guard's version.
        taxonomy: Name of the taxonomy.
        uncovered: Categories that no training item covers.
        model: The base model, and how it is shown a text.
        answer: What the guard is asked, and how it answers.
        adapter: Whether ``best/`` holds an adapter, or all weights.
        end: Id of the token that ends an answer.
        threshold: Probability of ``unsafe`` (0-1) from which on a text is flagged; of Llama Guard's format.
        threshold_reason: How the threshold came about, in a sentence.
    """

    format: Literal[1] = 1
    kind: Literal["generative"] = "generative"
    name: str
    version: str
    taxonomy: str
    uncovered: tuple[str, ...] = ()
    model: CausalModelRecipe
    answer: AnswerRecipe
    adapter: bool
    end: int
    threshold: float = 0.5
    threshold_reason: str = ""


def read_spec(run: Path) -> GenerativeSpec:
    """Read the specification of a run.

    Raises:
        UserError: The folder holds none, or one of another kind or format.
    """
    return read_run_spec(run, GenerativeSpec, "generative")


def spec_text(spec: GenerativeSpec) -> str:
    """Return the specification as it is written."""
    return json.dumps(spec.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"
