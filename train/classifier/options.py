"""What a recipe says about a classifier guard, beside the keys that all kinds of guards share."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from babelguard.item import Role
from babelguard.recipe import RecipeModel
from train.lora import LoraOptions

HeadKind = Literal["cumulative", "corn", "multi-label", "softmax"]


class VocabularyRecipe(RecipeModel):
    """Which tokens the guard keeps of its base model; cut before training, which then reads what serving will read."""

    tokens: int | None = Field(
        None,
        ge=1,
        description="So many: those that the training texts use, the most frequent first, then the most common ones "
        "of the languages' scripts; if not set, all that the texts use",
    )
    least_count: int = Field(1, ge=1, description="A token counts as used from so many occurrences")


class BaseModelRecipe(RecipeModel):
    """The backbone, and what it reads."""

    base: str = Field(description="Hub name or folder of an encoder or decoder, with safetensors")
    revision: str | None = Field(None, description="Commit, tag or branch on the hub; the default branch if not set")
    licence: str = Field("", description="Licence of the base model, for card and bundle")
    dtype: Literal["auto", "float32", "bfloat16"] = Field(
        "auto", description="Of the frozen weights; auto is bfloat16 on CUDA under an adapter, else float32"
    )
    attention: Literal["auto", "sdpa", "eager", "flash_attention_2"] = "auto"
    trust_remote_code: bool = Field(False, description="Run Python code that comes with the model")
    prefix: str = Field("", description="What stands before every text, such as 'query: ' for the e5 models")
    window: int = Field(128, ge=8, description="Tokens that the model reads at once, special ones and prefix included")
    vocabulary: VocabularyRecipe | None = Field(
        None, description="Cut the vocabulary before training; whole if not set"
    )
    overlap: int = Field(32, ge=0, description="Tokens that neighbouring windows of a long text share when it is rated")
    long_texts: Literal["truncate", "random-window"] = Field(
        "truncate",
        description="Training on a text longer than the window: its beginning, or a part drawn anew each time",
    )
    pooling: Literal["auto", "mean", "first", "last"] = Field(
        "auto", description="How tokens become one vector; auto: mean for encoders, last token for decoders"
    )
    dropout: float = Field(0.1, ge=0, lt=1, description="Dropout of the pooled vector")
    backbone_dropout: float | None = Field(
        None, ge=0, lt=1, description="Dropout inside the backbone; as its configuration says if not set. 0 is faster"
    )

    @model_validator(mode="after")
    def _overlap_fits(self) -> BaseModelRecipe:
        if self.overlap * 2 > self.window:
            raise ValueError("'overlap' is at most half of 'window'")
        return self


class HeadRecipe(RecipeModel):
    """From the pooled vector to the logits of P(level > above)."""

    kind: HeadKind = Field("cumulative", description="How levels depend on each other, see docs/training.md")
    learning_rate: float = Field(1e-2, gt=0, description="Of the head, at its peak")
    normalise: bool = Field(True, description="Layer norm of the pooled vector, without weights of its own")


class SharedLabelsRecipe(RecipeModel):
    """Targets that the translations of one content (same source, source_id and role) lend each other."""

    share: float = Field(0.5, gt=0, le=1, description="Share of a target that the other languages' annotators give")
    roles: tuple[Role, ...] | None = Field(
        None,
        min_length=1,
        description="Roles whose texts are translations of each other, such as prompt; all if not set",
    )


class LossRecipe(RecipeModel):
    """What is minimised."""

    soft_labels: bool = Field(False, description="Learn the share of annotators above each level, not their majority")
    shared_labels: SharedLabelsRecipe | None = Field(
        None, description="What annotators of a content's translations add to its targets; nothing if not set"
    )
    positive_weights: Literal["none", "balanced"] = Field(
        "none", description="balanced: rare levels count more, by the root of negatives / positives of each column"
    )
    largest_weight: float = Field(10.0, ge=1, description="Cap of these weights")
    focal_gamma: float = Field(0.0, ge=0, description="Exponent of the focal loss (Lin et al. 2017); 0 is none")
    consistency: float = Field(0.0, ge=0, description="Weight of the divergence between a text and its register twin")


class SamplingRecipe(RecipeModel):
    """How often items are drawn: group counts to the power of minus these exponents; 0 leaves a factor alone."""

    languages: float = Field(0.0, ge=0, le=1)
    registers: float = Field(0.0, ge=0, le=1)
    labels: float = Field(0.0, ge=0, le=1, description="Group: the rarest harm that the item has, or none")
    sources: float = Field(0.0, ge=0, le=1)
    most_often: float = Field(8.0, ge=1, description="An item is drawn at most this many times as often as on average")


class BatchRecipe(RecipeModel):
    """How items are put together: by length, so that little is padded."""

    items: int = Field(32, ge=1, description="Most items in a batch")
    tokens: int | None = Field(None, ge=8, description="Most tokens in a batch, padding included; no limit if not set")
    group_by_length: bool = Field(True, description="Put texts of similar length together; else at random")
    evaluation_items: int = Field(64, ge=1, description="Items in a batch when nothing is learnt")


class SelectionRecipe(RecipeModel):
    """How checkpoints are compared on the calibration split."""

    metric: str = Field("linear_kappa", description="Figure of the evaluation, such as linear_kappa, macro_f1, auprc")
    greater_is_better: bool | None = Field(None, description="Direction; by the metric's name if not set")
    levels: Literal["half", "tuned"] = Field(
        "half", description="half: a level is exceeded at probability 0.5; tuned: at the threshold best for kappa there"
    )
    items: int | None = Field(None, ge=1, description="Compare on so many items of the split, by hash; all if not set")


class ClassifierOptions(RecipeModel):
    """A classifier guard."""

    model: BaseModelRecipe
    lora: LoraOptions | None = Field(LoraOptions(), description="The adapter; null trains all weights")
    start_from: Path | None = Field(
        None, description="Run folder of a trained guard whose adapter and head are trained further"
    )
    start_share: float = Field(
        0.0, ge=0, lt=1, description="Share of the weights of start_from in the end's: their weighted mean"
    )
    head: HeadRecipe = HeadRecipe()
    loss: LossRecipe = LossRecipe()
    sampling: SamplingRecipe = SamplingRecipe()
    batches: BatchRecipe = BatchRecipe()
    selection: SelectionRecipe = SelectionRecipe()
