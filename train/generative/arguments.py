"""From a recipe to the arguments of trl's trainers."""

from __future__ import annotations

import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from train.classifier.arguments import bfloat16, reporters
from train.figures import LOWER_IS_BETTER
from train.generative.options import GenerativeOptions
from train.recipe import TrainPlan


@dataclass(frozen=True)
class Pace:
    """How long one stage goes on.

    Attributes:
        epochs: Passes over its examples.
        max_steps: Optimiser steps, in place of epochs.
        learning_rate: At its peak.
        examples: How many there are.
    """

    epochs: float
    max_steps: int | None
    learning_rate: float
    examples: int


def sft_arguments(plan: TrainPlan[GenerativeOptions], pace: Pace, folder: Path) -> Any:  # noqa: ANN401 - trl.SFTConfig
    """Return the arguments of supervised fine-tuning; the examples are tokens already and no longer than allowed."""
    from trl.trainer.sft_config import SFTConfig

    packed = plan.options.batches.grouping == "packed"
    return SFTConfig(
        **_common(plan, pace, folder),
        max_length=plan.options.model.longest,
        packing=packed,
        eval_packing=False,
        dataset_kwargs=None if packed else {"skip_prepare_dataset": True},
        train_sampling_strategy="group_by_length" if plan.options.batches.grouping == "length" else "random",
    )


def dpo_arguments(plan: TrainPlan[GenerativeOptions], pace: Pace, folder: Path) -> Any:  # noqa: ANN401 - trl.DPOConfig
    """Return the arguments of preference optimisation."""
    from trl.trainer.dpo_config import DPOConfig

    preference = plan.options.preference
    if preference is None:
        raise ValueError("the recipe has no preference step")
    return DPOConfig(
        **_common(plan, pace, folder),
        beta=preference.beta,
        max_length=None,
        # Once before training: the reference is what supervised fine-tuning left.
        precompute_ref_log_probs=True,
    )


def _common(plan: TrainPlan[GenerativeOptions], pace: Pace, folder: Path) -> dict[str, Any]:
    import torch

    chosen, options = plan.recipe.optimisation, plan.options
    shared: Any = plan
    every = evaluation_steps(plan, pace)
    metric = options.selection.metric
    return {
        "output_dir": str(folder),
        "num_train_epochs": pace.epochs,
        "max_steps": pace.max_steps or -1,
        "per_device_train_batch_size": options.batches.items,
        "per_device_eval_batch_size": options.batches.items,
        "gradient_accumulation_steps": chosen.accumulation,
        "learning_rate": pace.learning_rate,
        "weight_decay": chosen.weight_decay,
        "warmup_steps": chosen.warmup_share,
        "lr_scheduler_type": chosen.schedule if chosen.schedule != "constant" else "constant_with_warmup",
        "max_grad_norm": chosen.max_gradient_norm,
        "bf16": bfloat16(shared),
        "gradient_checkpointing": chosen.gradient_checkpointing,
        "gradient_checkpointing_kwargs": {"use_reentrant": False} if chosen.gradient_checkpointing else None,
        "eval_strategy": "steps",
        "eval_steps": every,
        "save_strategy": "steps",
        "save_steps": chosen.save_every_steps or every,
        "save_total_limit": chosen.keep,
        "metric_for_best_model": metric,
        "greater_is_better": metric not in LOWER_IS_BETTER,
        "logging_steps": chosen.log_every_steps,
        "logging_nan_inf_filter": False,
        "report_to": [name for name in reporters(chosen.report_to) if name != "tensorboard"],
        "run_name": plan.run_folder.name,
        "disable_tqdm": not sys.stderr.isatty(),
        "dataloader_num_workers": chosen.workers,
        "seed": plan.recipe.seed,
        "use_cpu": not torch.accelerator.is_available(),
    }


def evaluation_steps(plan: TrainPlan[GenerativeOptions], pace: Pace) -> int:
    """Return the optimiser steps between evaluations: as set, else those of one pass, and at most all."""
    chosen = plan.recipe.optimisation
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    one_pass = math.ceil(pace.examples / (plan.options.batches.items * chosen.accumulation * processes))
    total = pace.max_steps or math.ceil(one_pass * pace.epochs)
    return max(1, min(chosen.evaluate_every_steps or one_pass, total))


def check_devices(plan: TrainPlan[GenerativeOptions]) -> None:
    """Check that the GPUs in sight are used as trl can use them.

    Raises:
        UserError: There are several and one process, or checkpoints are to be rated where weights are spread.
    """
    import torch

    several = torch.cuda.device_count() > 1
    if several and "WORLD_SIZE" not in os.environ:
        raise UserError(
            "This process sees several GPUs and would use one; start it with `accelerate launch --config_file "
            "recipes/train/accelerate/FILE.yaml -m train.run ...`, or show it one with CUDA_VISIBLE_DEVICES=0."
        )
    if spread() and plan.options.selection.metric != "loss":
        raise UserError(
            "Where FSDP or DeepSpeed ZeRO-3 spreads the weights over several GPUs, checkpoints are compared by their "
            "loss alone; set selection.metric=loss. The best one is rated at the end all the same."
        )


def spread() -> bool:
    """Tell whether each process holds a part of the weights only, by what `accelerate launch` sets."""
    if os.environ.get("ACCELERATE_USE_FSDP", "false").lower() == "true":
        return True
    stage = os.environ.get("ACCELERATE_DEEPSPEED_ZERO_STAGE", "0")
    return os.environ.get("ACCELERATE_USE_DEEPSPEED", "false").lower() == "true" and stage == "3"
