"""One training of a generative guard: from corpus to best weights, in one stage or two."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from evaluation.run_folder import RunFolder
from train.classifier.arguments import reporters
from train.corpus import TrainingCorpus
from train.figures import LOWER_IS_BETTER
from train.generative.arguments import Pace, check_devices, dpo_arguments, sft_arguments, spread
from train.generative.finish import finish
from train.generative.load import set_ends
from train.generative.loading import Tokenizing, load_causal, load_tokenizing
from train.generative.material import Material, prepare
from train.generative.options import GenerativeOptions
from train.generative.rating import rate
from train.generative.spec import GenerativeSpec, spec_text
from train.generative.stages import (
    PREFERENCE,
    SUPERVISED,
    Stage,
    copy_weights,
    keep_best,
    stage_of,
)
from train.lora import add_lora
from train.recipe import TrainPlan
from train.run_spec import FILE
from train.sitting import sit

RUBRIC = "rubric.j2"


def train(plan: TrainPlan[GenerativeOptions]) -> Path:
    """Train, choose the best checkpoint, rate the held-out splits and write the model card.

    Raises:
        UserError: Anything about recipe, corpus, model, devices or disk that the user can mend.
    """
    return sit(plan, _fit, finish)


def _fit(plan: TrainPlan[GenerativeOptions], corpus: TrainingCorpus, folder: RunFolder) -> bool:
    """Train to the end, or to the limit of this sitting; return whether it was the end."""
    from transformers import set_seed

    reporters(plan.recipe.optimisation.report_to)
    options = plan.options
    tokenizing = load_tokenizing(options.model, options.answer, plan.taxonomy)
    material = prepare(plan, corpus, tokenizing.form)
    check_devices(plan)
    if options.answer.format == "judge":
        shutil.copyfile(options.answer.rubric, folder.path / RUBRIC)
    folder.write_text(FILE, spec_text(_spec(plan, tokenizing, material)))
    set_seed(plan.recipe.seed)
    supervised = _supervised(plan, folder, tokenizing, material)
    if supervised is None:
        return False
    stages = [supervised]
    if options.preference is not None:
        preferred = _preferred(plan, folder, tokenizing, material)
        if preferred is None:
            return False
        stages.append(preferred)
    remarks = [*tokenizing.remarks, *material.remarks]
    keep_best(folder, stages, options.selection.metric, tokenizing.tokenizer, remarks)
    return True


def _supervised(
    plan: TrainPlan[GenerativeOptions], folder: RunFolder, tokenizing: Tokenizing, material: Material
) -> Stage | None:
    if (found := stage_of(folder, SUPERVISED)) is not None:
        return found
    from datasets import Dataset

    from train.generative.trainers import GuardSFTTrainer

    options, pace = plan.options, plan.recipe.optimisation
    model = load_causal(options.model, options.lora)
    if options.lora is not None:
        model = add_lora(model, options.lora, task="CAUSAL_LM")
    checkpoints = folder.path / "checkpoints"
    trainer = GuardSFTTrainer(
        model=model,
        args=sft_arguments(
            plan, Pace(pace.epochs, pace.max_steps, pace.learning_rate, len(material.examples)), checkpoints
        ),
        train_dataset=Dataset.from_list([example.row for example in material.examples]),
        eval_dataset=Dataset.from_list([example.row for example in material.compared_examples]),
        processing_class=tokenizing.tokenizer,
    )
    return _run_stage(plan, folder, tokenizing, material, SUPERVISED, trainer)


def _preferred(
    plan: TrainPlan[GenerativeOptions], folder: RunFolder, tokenizing: Tokenizing, material: Material
) -> Stage | None:
    if (found := stage_of(folder, PREFERENCE)) is not None:
        return found
    from datasets import Dataset

    from train.generative.trainers import GuardDPOTrainer

    preference = plan.options.preference
    if preference is None:
        raise ValueError("the recipe has no preference step")
    pace = Pace(preference.epochs, preference.max_steps, preference.learning_rate, len(material.pairs))
    trainer = GuardDPOTrainer(
        model=_after_supervised(plan, folder),
        args=dpo_arguments(plan, pace, folder.path / "checkpoints-preference"),
        train_dataset=Dataset.from_list([pair.row for pair in material.pairs]),
        eval_dataset=Dataset.from_list([pair.row for pair in material.compared_pairs]),
        processing_class=tokenizing.tokenizer,
    )
    return _run_stage(plan, folder, tokenizing, material, PREFERENCE, trainer)


def _after_supervised(plan: TrainPlan[GenerativeOptions], folder: RunFolder) -> Any:  # noqa: ANN401 - a peft model
    from peft import PeftModel, prepare_model_for_kbit_training

    model = load_causal(plan.options.model, plan.options.lora)
    if plan.options.lora is not None and plan.options.lora.four_bit:
        prepare_for_training: Any = prepare_model_for_kbit_training
        model = prepare_for_training(model, use_gradient_checkpointing=False)
    return PeftModel.from_pretrained(model, str(folder.path / SUPERVISED), is_trainable=True)


def _run_stage(
    plan: TrainPlan[GenerativeOptions],
    folder: RunFolder,
    tokenizing: Tokenizing,
    material: Material,
    name: str,
    trainer: Any,  # noqa: ANN401 - one of `trainers`
) -> Stage | None:
    """Train one stage, or go on with it; return what it left, `None` if its time was over before its end."""
    from train.generative.trainers import last_checkpoint

    limit = _add_callbacks(plan, folder, name, trainer)
    if not spread():
        trainer.rate = _rating(plan, tokenizing, material, trainer)
    last = last_checkpoint(Path(trainer.args.output_dir))
    trainer.train(resume_from_checkpoint=None if last is None else str(last))
    state = trainer.state
    if limit.reached:
        sys.stdout.write(
            f"Stopped after {plan.recipe.optimisation.max_hours} hours at step {state.global_step:,} of "
            f"{state.max_steps:,} ({name}); start the same command again to go on.\n"
        )
        return None
    chosen = Path(state.best_model_checkpoint) if state.best_model_checkpoint else None
    chosen = chosen or last_checkpoint(Path(trainer.args.output_dir))
    if chosen is None or not chosen.is_dir():
        raise UserError(f"{trainer.args.output_dir} holds no checkpoint; remove {folder.path} and start again.")
    stage = Stage(name, chosen.name, state.best_metric, state.global_step, state.max_steps)
    if trainer.is_world_process_zero():
        copy_weights(chosen, folder.path / name, {"stage.json": json.dumps(asdict(stage))})
    trainer.accelerator.wait_for_everyone()
    return stage


def _add_callbacks(plan: TrainPlan[GenerativeOptions], folder: RunFolder, name: str, trainer: Any) -> Any:  # noqa: ANN401
    from transformers import EarlyStoppingCallback
    from transformers.integrations.integration_utils import TensorBoardCallback

    from train.classifier.callbacks import LogFile, SaveWhatIsCompared, TimeLimit

    pace = plan.recipe.optimisation
    limit = TimeLimit(pace.max_hours)
    suffix = "" if name == SUPERVISED else f"-{name}"
    callbacks: list[Any] = [limit, SaveWhatIsCompared(), LogFile(folder.path / f"train{suffix}.log.jsonl")]
    if pace.patience is not None:
        callbacks.append(EarlyStoppingCallback(pace.patience))
    if "tensorboard" in pace.report_to:
        from torch.utils.tensorboard import SummaryWriter

        reporter: Any = TensorBoardCallback
        callbacks.append(reporter(SummaryWriter(str(folder.path / f"tensorboard{suffix}"))))
    for callback in callbacks:
        trainer.add_callback(callback)
    return limit


def _rating(
    plan: TrainPlan[GenerativeOptions],
    tokenizing: Tokenizing,
    material: Material,
    trainer: Any,  # noqa: ANN401 - one of `trainers`
) -> Callable[[], dict[str, float]]:
    """Return what rates the compared items with the weights as they are."""
    metric = plan.options.selection.metric

    def figures() -> dict[str, float]:
        model = trainer.accelerator.unwrap_model(trainer.model)
        base = model.get_base_model() if hasattr(model, "get_base_model") else model
        tokens = plan.options.selection.batch_tokens
        set_ends(base, tokenizing.end, tokenizing.tokenizer.pad_token_id)
        rated = rate(material.compared, tokenizing.form, base, tokenizing.tokenizer, tokens, "rating the checkpoint")
        record = rated.figures(plan.taxonomy)
        found = {name: value for name, value in record["summary"].items() if value is not None}
        if metric != "loss" and metric not in found:
            # Undefined, as when every rating is the same: worse than any figure, so that it is never the best.
            found[metric] = 2.0 if metric in LOWER_IS_BETTER else -2.0
        return {**found, "missing_ratings": float(record["missing"])}

    return figures


def _spec(plan: TrainPlan[GenerativeOptions], tokenizing: Tokenizing, material: Material) -> GenerativeSpec:
    return GenerativeSpec(
        name=plan.recipe.name,
        version=plan.recipe.version,
        taxonomy=plan.taxonomy.name,
        uncovered=material.uncovered,
        model=plan.options.model,
        answer=plan.options.answer,
        adapter=plan.options.lora is not None,
        end=tokenizing.end,
    )
