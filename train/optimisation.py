"""What a recipe says about the optimisation: the same for every kind of guard."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from babelguard.recipe import RecipeModel


class OptimisationRecipe(RecipeModel):
    """How weights are moved, how long, and what is kept on the way."""

    NOT_IDENTITY: ClassVar[frozenset[str]] = frozenset({"max_hours", "report_to", "workers", "log_every_steps", "keep"})

    epochs: float = Field(1.0, gt=0, description="Passes over the training items")
    max_steps: int | None = Field(None, ge=1, description="Optimiser steps, in place of epochs")
    max_hours: float | None = Field(
        None, gt=0, description="Stop with a checkpoint after so many hours; start again to go on"
    )
    learning_rate: float = Field(3e-4, gt=0, description="Of adapter or backbone, at its peak")
    weight_decay: float = Field(0.01, ge=0, description="Decoupled weight decay (AdamW)")
    warmup_share: float = Field(0.05, ge=0, lt=1, description="Share of the steps in which the rates rise from 0")
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    max_gradient_norm: float = Field(1.0, gt=0, description="Gradients are scaled down to this norm")
    accumulation: int = Field(1, ge=1, description="Batches whose gradients are added up for one step")
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto", description="Of activations; auto is bfloat16 where CUDA has it, else float32"
    )
    gradient_checkpointing: bool = Field(False, description="Compute activations twice and store few: less memory")
    evaluate_every_steps: int | None = Field(None, ge=1, description="Steps between evaluations; each epoch if not set")
    save_every_steps: int | None = Field(
        None, ge=1, description="Steps between checkpoints to resume from; at each evaluation if not set"
    )
    keep: int = Field(2, ge=1, description="Checkpoints to keep, beside the best")
    patience: int | None = Field(
        None, ge=1, description="Stop after so many evaluations without a better figure; never if not set"
    )
    log_every_steps: int = Field(10, ge=1, description="Steps between lines of the log")
    report_to: tuple[str, ...] = Field(
        ("tensorboard",), description="Where the trainer reports: tensorboard, wandb, ..."
    )
    workers: int = Field(0, ge=0, description="Processes that prepare batches; 0: in the training's own")
