"""The recipe model of a generative guard: what stands beside the keys that all kinds of guards share."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from babelguard.recipe import RecipeModel
from evaluation.judging.layout import Layout
from train.classifier.options import SamplingRecipe
from train.figures import SUMMARY
from train.lora import LoraOptions

TEMPLATES = Path(__file__).parent / "templates"
SHORT_RUBRIC = TEMPLATES / "rubric.j2"
GUARD_PROMPT = TEMPLATES / "guard.j2"

Format = Literal["judge", "llama-guard"]


class CausalModelRecipe(RecipeModel):
    """The causal model that learns to answer, and how it is shown a text."""

    base: str = Field(description="Hub name, or a local folder with config.json and *.safetensors")
    revision: str | None = Field(None, description="Commit, tag or branch on the hub; the default branch if not set")
    licence: str = Field("", description="Licence of the base model, for the card")
    dtype: Literal["auto", "float32", "bfloat16"] = Field(
        "auto", description="Of the weights; auto is bfloat16 on CUDA under an adapter, else float32"
    )
    attention: Literal["auto", "sdpa", "eager", "flash_attention_2", "flash_attention_3"] = Field(
        "auto", description="How transformers computes attention"
    )
    trust_remote_code: bool = Field(False, description="Run Python code that comes with the model")
    layout: Layout = Field("chat", description="chat: through the model's chat template; completion: for base models")
    template_options: dict[str, Any] = Field(
        default_factory=dict, description="Variables of the model's chat template, such as enable_thinking"
    )
    longest: int = Field(1024, ge=64, description="Tokens of prompt and answer; longer texts are cut at their end")


class AnswerRecipe(RecipeModel):
    """What the guard is asked, and in which format it answers."""

    format: Format = Field("judge", description="judge: a level a category; llama-guard: safe, or unsafe and codes")
    rubric: Path = Field(SHORT_RUBRIC, description="judge: the rubric, as for the rater kind llm-judge; .j2 only")
    prompt: Path = Field(GUARD_PROMPT, description="llama-guard: the prompt, Jinja text with messages and listed")
    unsafe_from: int | dict[str, int] = Field(
        2, description="llama-guard: level from which a category applies; one for all, or one a category"
    )
    in_context: bool = Field(
        False, description="llama-guard: learn from completions behind their prompts too, where the corpus has both"
    )
    least_mass: float = Field(
        0.05, ge=0, le=1, description="llama-guard: probability that safe and unsafe must have together, to be read"
    )
    target_false_positives: float = Field(
        0.01, gt=0, lt=1, description="llama-guard: share of harmless texts that may be called unsafe"
    )

    @model_validator(mode="after")
    def _consistent(self) -> AnswerRecipe:
        if self.format == "judge" and self.in_context:
            raise ValueError("'in_context' is for format: llama-guard; a judge rates a text by itself")
        if self.format == "judge" and self.rubric.suffix != ".j2":
            raise ValueError("the rubric must be a Jinja file (.j2), so that every line of an item is marked")
        lowest = [self.unsafe_from] if isinstance(self.unsafe_from, int) else list(self.unsafe_from.values())
        if not all(level >= 2 for level in lowest):
            raise ValueError("'unsafe_from' is a level of 2 or more: level 1 is harmless")
        return self

    def first_unsafe_level(self, category: str) -> int:
        """Return the level from which a category counts as violated."""
        return self.unsafe_from if isinstance(self.unsafe_from, int) else self.unsafe_from.get(category, 2)


class GenerativeBatchRecipe(RecipeModel):
    """How items are put together."""

    items: int = Field(8, ge=1, description="Items a batch and device")
    grouping: Literal["length", "packed", "random"] = Field(
        "length",
        description="length: texts of similar length together; packed: several in a row of 'longest' tokens, which "
        "do not see each other; random",
    )


class RatingRecipe(RecipeModel):
    """How checkpoints are compared: the guard rates items of the calibration split."""

    metric: str = Field("linear_kappa", description="Figure of the evaluation, or loss")
    source_ids: int | None = Field(200, ge=1, description="Compare on so many source_ids, by hash; all if null")
    batch_tokens: int | None = Field(
        None, ge=1, description="Tokens that are rated at once; 1024 on the CPU and 8192 elsewhere if not set"
    )

    @model_validator(mode="after")
    def _known(self) -> RatingRecipe:
        if self.metric not in (*SUMMARY, "loss"):
            raise ValueError(f"'metric' is one of {', '.join((*SUMMARY, 'loss'))}")
        return self


class PreferenceRecipe(RecipeModel):
    """A step of direct preference optimisation (DPO; Rafailov et al. 2023) behind the supervised one."""

    beta: float = Field(0.1, gt=0, description="How closely the model is held to what it was before the step")
    learning_rate: float = Field(5e-6, gt=0, description="At its peak")
    epochs: float = Field(1.0, gt=0, description="Passes over the pairs")
    max_steps: int | None = Field(None, ge=1, description="Optimiser steps, in place of epochs")
    most_pairs: int | None = Field(None, ge=1, description="Pairs to learn from, at most, chosen by hash")


class GenerativeOptions(RecipeModel):
    """A generative guard."""

    model: CausalModelRecipe
    answer: AnswerRecipe = AnswerRecipe()
    lora: LoraOptions | None = Field(LoraOptions(), description="The adapter; null trains all weights")
    sampling: SamplingRecipe = SamplingRecipe()
    batches: GenerativeBatchRecipe = GenerativeBatchRecipe()
    selection: RatingRecipe = RatingRecipe()
    preference: PreferenceRecipe | None = Field(None, description="A step of preference optimisation afterwards")

    @model_validator(mode="after")
    def _consistent(self) -> GenerativeOptions:
        if self.lora is None and self.preference is not None:
            raise ValueError("'preference' needs an adapter ('lora'), behind which the model stays what it was")
        return self
