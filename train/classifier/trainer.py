"""The trainer of classifiers: transformers' own, with planned batches, our loss, two rates and safe checkpoints."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import Trainer
from transformers.trainer_utils import rotate_checkpoints

from babelguard.errors import UserError
from train.classifier.losses import GuardLoss, consistency_loss
from train.classifier.planned_batches import PlannedBatches

PARTIAL = "partial"
"""Folder inside `checkpoints/` that a checkpoint is written to before it gets its name."""


class GuardTrainer(Trainer):
    """Trains a `GuardClassifier`, wrapped by peft or not.

    Args:
        loss: The loss of the head.
        batches: The planned batches of draws.
        head_learning_rate: Of the head.
        consistency: Weight of the divergence between register twins.
        options: Arguments of `transformers.Trainer`.
    """

    def __init__(
        self,
        *,
        loss: GuardLoss,
        batches: list[list[int]],
        head_learning_rate: float,
        consistency: float,
        **options: Any,  # noqa: ANN401 - the trainer's own
    ) -> None:
        super().__init__(**options)
        self.guard_loss = loss.to(self.args.device)
        self.batches = batches
        self.head_learning_rate = head_learning_rate
        self.consistency = consistency
        # The loss is the sum over a batch by the mean number of items in one: an item counts the same in any batch.
        self.items_in_batch = sum(map(len, batches)) / max(1, len(batches))
        self.loss_is_scaled_for_ga = False

    def get_train_dataloader(self) -> DataLoader[Any]:
        """Return the planned batches; each process takes every n-th of them."""
        planned = PlannedBatches(
            self.batches, self.args.world_size, self.args.process_index, self.args.gradient_accumulation_steps
        )
        # Not prepared by accelerate, which would share the batches out a second time; the trainer moves the tensors.
        return DataLoader(
            self.train_dataset,  # type: ignore[arg-type]
            batch_sampler=planned,
            collate_fn=self.data_collator,
            num_workers=self.args.dataloader_num_workers,
            persistent_workers=self.args.dataloader_num_workers > 0,
        )

    def compute_loss(
        self,
        model: nn.Module,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,  # noqa: ANN401, ARG002 - the trainer's signature
    ) -> Any:  # noqa: ANN401 - the loss, or the loss and the outputs
        """Return the loss of a batch.

        Raises:
            UserError: It is not a number.
        """
        scores, logits = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], with_scores=True)
        losses = self.guard_loss(scores.float(), logits.float(), inputs["labels"].float())
        loss = losses.mean() if return_outputs else losses.sum() / self.items_in_batch
        if self.consistency and "twins" in inputs:
            loss = loss + self.consistency * consistency_loss(logits.float(), inputs["twins"])
        if not return_outputs and not bool(torch.isfinite(loss)):
            raise UserError(self._broken(f"The loss at step {self.state.global_step + 1} is {loss.item()}"))
        return (loss, {"logits": logits.float()}) if return_outputs else loss

    def create_optimizer(self, model: nn.Module | None = None) -> torch.optim.Optimizer:
        """Make an optimiser with a learning rate for the head and one for everything else that is trained."""
        if self.optimizer is not None:
            return self.optimizer
        trained: Any = self.model if model is None else model
        decayed = set(self.get_decay_parameter_names(trained))
        groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
        for name, parameter in trained.named_parameters():
            if parameter.requires_grad:
                groups.setdefault((_of_head(name), name in decayed), []).append(parameter)
        listed = [
            {
                "params": parameters,
                "lr": self.head_learning_rate if of_head else self.args.learning_rate,
                "weight_decay": self.args.weight_decay if decays else 0.0,
            }
            for (of_head, decays), parameters in groups.items()
        ]
        kind, options = self.get_optimizer_cls_and_kwargs(self.args, trained)
        self.optimizer = kind(listed, **options)
        return self.optimizer

    def _save_checkpoint(self, model: nn.Module, trial: Any) -> None:  # noqa: ANN401 - the trainer's signature
        """Write a checkpoint under another name, and give it its own when it is whole.

        Raises:
            UserError: It cannot be written, or a weight is not a number; earlier checkpoints stay as they are.
        """
        bad = [name for name, p in model.named_parameters() if p.requires_grad and not bool(torch.isfinite(p).all())]
        if bad:
            raise UserError(self._broken(f"After step {self.state.global_step} the weights {bad[0]} are not numbers"))
        root = Path(str(self.args.output_dir))
        limit, self.args.save_total_limit = self.args.save_total_limit, None
        self.args.output_dir = str(root / PARTIAL)
        try:
            if self.args.should_save:
                shutil.rmtree(root / PARTIAL, ignore_errors=True)
            self.accelerator.wait_for_everyone()
            super()._save_checkpoint(model, trial)
            self.accelerator.wait_for_everyone()
            if self.args.should_save:
                self._publish(root)
        except (OSError, RuntimeError, _safetensors_error()) as error:
            raise UserError(self._unwritten(root, error)) from None
        finally:
            self.args.output_dir, self.args.save_total_limit = str(root), limit
        if self.args.should_save:
            rotate_checkpoints(
                output_dir=str(root), save_total_limit=limit, best_model_checkpoint=self.state.best_model_checkpoint
            )

    def _publish(self, root: Path) -> None:
        name = f"checkpoint-{self.state.global_step}"
        written, best = root / PARTIAL / name, self.state.best_global_step
        # The trainer's pickled arguments: the recipe says them, and nothing reads them.
        (written / "training_args.bin").unlink(missing_ok=True)
        if best:
            place = root / f"checkpoint-{best}"
            known = best == self.state.global_step or place.is_dir()
            self.state.best_model_checkpoint = str(place) if known else None
        self.state.save_to_json(str(written / "trainer_state.json"))
        shutil.rmtree(root / name, ignore_errors=True)
        written.replace(root / name)
        shutil.rmtree(root / PARTIAL, ignore_errors=True)

    def _broken(self, what: str) -> str:
        good = last_checkpoint(Path(str(self.args.output_dir)))
        return (
            f"{what}; training stops here. The last good checkpoint is {good or 'the beginning'}. Lower "
            "optimisation.learning_rate or head.learning_rate, or set optimisation.precision=float32, and start again."
        )

    def _unwritten(self, root: Path, error: Exception) -> str:
        reason = str(error).strip().split("\n")[0][:200].rstrip(".")
        return (
            f"The checkpoint of step {self.state.global_step} could not be written to {root}: {reason}. Free some "
            f"space and start the same command again; it goes on from {last_checkpoint(root) or 'the beginning'}."
        )


def last_checkpoint(root: Path) -> Path | None:
    """Return the newest whole checkpoint in a folder, if there is one."""
    found = [path for path in root.glob("checkpoint-*") if path.name.removeprefix("checkpoint-").isdecimal()]
    return max(found, key=lambda path: int(path.name.removeprefix("checkpoint-")), default=None)


def _of_head(name: str) -> bool:
    """Tell whether a weight is the head's; wrappers put their own names before it."""
    parts = name.split(".")
    return "head" in parts and "backbone" not in parts


def _safetensors_error() -> type[Exception]:
    from safetensors import SafetensorError

    return SafetensorError
