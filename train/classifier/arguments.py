"""From a recipe to the arguments of transformers' trainer."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from train.classifier.material import Material
from train.classifier.options import ClassifierOptions
from train.figures import LOWER_IS_BETTER
from train.recipe import TrainPlan


def training_arguments(plan: TrainPlan[ClassifierOptions], material: Material, run: Path, processes: int) -> Any:  # noqa: ANN401
    """Return `transformers.TrainingArguments`.

    All passes together are one epoch of the trainer's, because the batches of all of them are planned at once.
    """
    from transformers import TrainingArguments

    pace, options = plan.recipe.optimisation, plan.options
    every = evaluation_steps(plan, material, processes)
    compute_bf16 = bfloat16(plan)
    return TrainingArguments(
        output_dir=str(run / "checkpoints"),
        num_train_epochs=1,
        per_device_train_batch_size=options.batches.items,
        per_device_eval_batch_size=options.batches.evaluation_items,
        gradient_accumulation_steps=pace.accumulation,
        learning_rate=pace.learning_rate,
        weight_decay=pace.weight_decay,
        warmup_steps=pace.warmup_share,
        lr_scheduler_type=pace.schedule if pace.schedule != "constant" else "constant_with_warmup",
        max_grad_norm=pace.max_gradient_norm,
        bf16=compute_bf16,
        activation_checkpointing=pace.gradient_checkpointing,
        activation_checkpointing_kwargs={"use_reentrant": False} if pace.gradient_checkpointing else None,
        eval_strategy="steps",
        eval_steps=every,
        save_strategy="steps",
        save_steps=pace.save_every_steps or every,
        save_total_limit=pace.keep,
        metric_for_best_model=options.selection.metric,
        greater_is_better=greater_is_better(options),
        logging_steps=pace.log_every_steps,
        logging_nan_inf_filter=False,
        report_to=[name for name in reporters(pace.report_to) if name != "tensorboard"],
        run_name=run.name,
        disable_tqdm=not sys.stderr.isatty(),
        dataloader_num_workers=pace.workers,
        remove_unused_columns=False,
        label_names=["labels"],
        seed=plan.recipe.seed,
        use_cpu=not _has_accelerator(),
        ddp_find_unused_parameters=False,
    )


def evaluation_steps(plan: TrainPlan[ClassifierOptions], material: Material, processes: int) -> int:
    """Return the optimiser steps between evaluations: as set, else those of one pass, and at most all."""
    pace = plan.recipe.optimisation
    together = pace.accumulation * processes
    total = math.ceil(len(material.plan.batches) / together)
    wanted = pace.evaluate_every_steps or math.ceil(material.plan.batches_per_pass / together)
    return max(1, min(wanted, total))


def greater_is_better(options: ClassifierOptions) -> bool:
    """Return the direction of the metric that checkpoints are compared by."""
    if options.selection.greater_is_better is not None:
        return options.selection.greater_is_better
    return options.selection.metric not in LOWER_IS_BETTER


def reporters(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names, all of whose packages are there.

    Raises:
        UserError: One is missing.
    """
    for name in names:
        if name in ("tensorboard", "wandb") and importlib.util.find_spec(name) is None:
            raise UserError(
                f"optimisation.report_to names {name}, which is not installed; pip install {name}, or set "
                "optimisation.report_to=[]."
            )
    return names


def bfloat16(plan: TrainPlan[ClassifierOptions]) -> bool:
    """Tell whether activations are in bfloat16."""
    import torch

    wanted = plan.recipe.optimisation.precision
    if wanted == "auto":
        return torch.cuda.is_available() and torch.cuda.is_bf16_supported()
    return wanted == "bfloat16"


def _has_accelerator() -> bool:
    import torch

    return torch.accelerator.is_available()
