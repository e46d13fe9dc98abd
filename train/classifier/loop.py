"""One training of a classifier, from corpus to best weights."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from babelguard.errors import UserError
from evaluation.run_folder import RunFolder
from train.classifier.arguments import reporters, training_arguments
from train.classifier.build import BuiltModel, adapt, build_model
from train.classifier.columns import Columns
from train.classifier.finish import calibration_options, finish
from train.classifier.judging import flat_figures, judge, tuned_thresholds
from train.classifier.load import BEST
from train.classifier.material import Material, prepare
from train.classifier.options import ClassifierOptions
from train.classifier.spec import FILE, GuardSpec
from train.classifier.vocabulary import cut_vocabulary, save_kept
from train.classifier.warm_start import mix_with_start, start_from
from train.console import say
from train.corpus import TrainingCorpus
from train.recipe import TrainPlan
from train.sitting import TRAINED, first_process, sit


def train(plan: TrainPlan[ClassifierOptions]) -> Path:
    """Train, choose the best checkpoint, rate the held-out splits, calibrate and write the model card.

    Raises:
        UserError: Anything about recipe, corpus, model or disk that the user can mend.
    """
    calibration_options(plan)
    reporters(plan.recipe.optimisation.report_to)
    return sit(plan, _fit, finish)


def _fit(plan: TrainPlan[ClassifierOptions], corpus: TrainingCorpus, folder: RunFolder) -> bool:
    """Train to the end, or to the limit of this sitting; return whether it was the end."""
    from transformers import set_seed

    set_seed(plan.recipe.seed)
    columns = Columns.of(plan.taxonomy)
    built = build_model(plan.options.model, plan.options.head, columns, plan.options.lora)
    if plan.options.model.vocabulary is not None:
        built = cut_vocabulary(built, plan.options.model.vocabulary, corpus)
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    material = prepare(plan, corpus, built.tokenizer, processes)
    built.model.head.start_at(material.shares)
    spec = _spec(plan, built, material)
    if first_process():
        folder.write_text(FILE, spec.model_dump_json(indent=2) + "\n")
    trainer, limit = make_trainer(plan, material, built, folder.path, processes)
    if plan.options.start_from is not None:
        start_from(plan.options.start_from.expanduser(), trainer.model, spec)
    last = _last_checkpoint(folder.path)
    trainer.train(resume_from_checkpoint=None if last is None else str(last))
    if limit.reached:
        say(
            f"Stopped after {plan.recipe.optimisation.max_hours:g} hours at step {trainer.state.global_step:,} of "
            f"{trainer.state.max_steps:,}; start the same command again to go on."
        )
        return False
    if trainer.is_world_process_zero():
        _keep_best(trainer, folder, built, [*built.remarks, *material.remarks], plan.options)
    trainer.accelerator.wait_for_everyone()
    return True


def make_trainer(
    plan: TrainPlan[ClassifierOptions], material: Material, built: BuiltModel, run: Path, processes: int = 1
) -> tuple[Any, Any]:
    """Return the trainer, and the callback that limits its hours.

    Raises:
        UserError: The adapter does not fit the model, or the metric to compare by does not exist.
    """
    import torch
    from transformers import EarlyStoppingCallback
    from transformers.integrations.integration_utils import TensorBoardCallback

    from train.classifier.callbacks import LogFile, SaveWhatIsCompared, TimeLimit
    from train.classifier.dataset import Collator
    from train.classifier.losses import GuardLoss
    from train.classifier.trainer import GuardTrainer

    options, pace = plan.options, plan.recipe.optimisation
    _check_metric(plan, material)
    limit = TimeLimit(pace.max_hours)
    callbacks: list[Any] = [limit, SaveWhatIsCompared(), LogFile(run / "train.log.jsonl")]
    if pace.patience is not None:
        callbacks.append(EarlyStoppingCallback(pace.patience))
    if "tensorboard" in pace.report_to and first_process():
        from torch.utils.tensorboard import SummaryWriter

        to_tensorboard: Any = TensorBoardCallback
        callbacks.append(to_tensorboard(SummaryWriter(str(run / "tensorboard"))))
    trainer = GuardTrainer(
        model=adapt(built.model, options.lora),
        args=training_arguments(plan, material, run, processes),
        # Tensor cores want lengths that are multiples of eight.
        data_collator=Collator(built.tokenizer.pad_token_id, multiple_of=8 if torch.cuda.is_available() else 1),
        train_dataset=material.draws,
        eval_dataset=material.windows,
        processing_class=built.tokenizer,
        compute_metrics=_judging(plan, material),
        callbacks=callbacks,
        loss=GuardLoss(options.head.kind, material.columns.scales, material.positive_weights, options.loss.focal_gamma),
        batches=material.plan.batches,
        head_learning_rate=options.head.learning_rate,
        consistency=options.loss.consistency,
    )
    return trainer, limit


def _judging(plan: TrainPlan[ClassifierOptions], material: Material) -> Callable[[Any], dict[str, float]]:
    def compute(prediction: Any) -> dict[str, float]:  # noqa: ANN401 - transformers.EvalPrediction
        logits = np.asarray(prediction.predictions)
        tuned = plan.options.selection.levels == "tuned"
        thresholds = tuned_thresholds(logits, material.reference) if tuned else None
        return flat_figures(judge(logits, material.reference, thresholds))

    return compute


def _check_metric(plan: TrainPlan[ClassifierOptions], material: Material) -> None:
    from babelguard.errors import unknown_name

    zeros = np.zeros((len(material.windows), len(material.columns)))
    known = ["loss", *flat_figures(judge(zeros, material.reference))]
    metric = plan.options.selection.metric
    if metric not in known:
        raise unknown_name("metric for selection.metric", metric, known)


def _spec(plan: TrainPlan[ClassifierOptions], built: BuiltModel, material: Material) -> GuardSpec:
    return GuardSpec(
        taxonomy=plan.taxonomy.name,
        categories=material.columns.names,
        scales=material.columns.scales,
        uncovered=material.uncovered,
        model=built.recipe,
        head=plan.options.head,
        adapter=plan.options.lora is not None,
        pad_token_id=built.tokenizer.pad_token_id,
    )


def _last_checkpoint(run: Path) -> Path | None:
    from train.classifier.trainer import last_checkpoint

    return last_checkpoint(run / "checkpoints")


def _keep_best(
    trainer: Any,  # noqa: ANN401 - our trainer
    folder: RunFolder,
    built: BuiltModel,
    remarks: list[str],
    options: ClassifierOptions,
) -> None:
    import json

    chosen = trainer.state.best_model_checkpoint
    source = Path(chosen) if chosen else _last_checkpoint(folder.path)
    if source is None or not source.is_dir():
        raise UserError(f"{folder.path} holds no checkpoint; remove the folder and start again.")
    best, partial = folder.path / BEST, folder.path / f"{BEST}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for name in ("adapter_model.safetensors", "adapter_config.json", "model.safetensors"):
        if (source / name).is_file():
            shutil.copy2(source / name, partial / name)
    if options.start_from is not None and options.start_share:
        mix_with_start(options.start_from.expanduser(), partial, options.start_share)
        remarks = [
            *remarks,
            f"The weights are a mean: {options.start_share:.0%} of those that training started from, "
            f"{options.start_from.name}. The figure that chose the checkpoint is of the weights before that.",
        ]
    built.tokenizer.save_pretrained(partial)
    if built.kept is not None:
        save_kept(partial, built.kept)
    shutil.rmtree(best, ignore_errors=True)
    partial.replace(best)
    record = {
        "checkpoint": source.name,
        "steps": trainer.state.global_step,
        "planned_steps": trainer.state.max_steps,
        "metric": trainer.args.metric_for_best_model,
        "greater_is_better": trainer.args.greater_is_better,
        "value": trainer.state.best_metric,
        "remarks": remarks,
    }
    folder.write_text(TRAINED, json.dumps(record, indent=2, ensure_ascii=False) + "\n")
