"""trl's trainers with what every run of ours needs: no broken checkpoint, no silent NaN, no word to anyone outside.

Imported inside functions only, since trl imports torch.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from transformers.trainer_utils import rotate_checkpoints
from trl.trainer.dpo_trainer import DPOTrainer
from trl.trainer.sft_trainer import SFTTrainer

from babelguard.errors import UserError

PARTIAL = "partial"
"""Folder inside the checkpoints' folder that a checkpoint is written to before it gets its name."""


class CarefulTraining:
    """What both trainers have beside trl's: to stand before one of them among a class's bases.

    Attributes:
        rate: Returns further figures at an evaluation, their names without ``eval_``; set by the training.
    """

    rate: Callable[[], dict[str, float]] | None = None

    def evaluation_loop(self, *arguments: Any, metric_key_prefix: str = "eval", **options: Any) -> Any:  # noqa: ANN401
        """Evaluate the loss, and the guard's ratings beside it."""
        found = super().evaluation_loop(*arguments, metric_key_prefix=metric_key_prefix, **options)  # type: ignore[misc]
        if self.rate is not None:
            found.metrics.update({f"{metric_key_prefix}_{name}": value for name, value in self.rate().items()})
        return found

    def compute_loss(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - the trainer's own
        """Return the loss.

        Raises:
            UserError: It is not a number; nothing has been changed by it yet.
        """
        import torch

        found = super().compute_loss(*arguments, **options)  # type: ignore[misc]
        loss = found[0] if isinstance(found, tuple) else found
        if not bool(torch.isfinite(loss.detach())):
            raise UserError(self._broken(f"The loss at step {self._step + 1} is {loss.item()}"))
        return found

    def _save_checkpoint(self, model: Any, trial: Any) -> None:  # noqa: ANN401 - the trainer's signature
        """Write a checkpoint under another name, and give it its own when it is whole.

        Raises:
            UserError: It cannot be written, or a weight is not a number; earlier checkpoints stay as they are.
        """
        import torch

        args: Any = self.args  # type: ignore[attr-defined]
        bad = [n for n, p in model.named_parameters() if p.requires_grad and not bool(torch.isfinite(p).all())]
        if bad:
            raise UserError(self._broken(f"After step {self._step} the weights {bad[0]} are not numbers"))
        root = Path(args.output_dir)
        limit, args.save_total_limit = args.save_total_limit, None
        args.output_dir = str(root / PARTIAL)
        try:
            if args.should_save:
                shutil.rmtree(root / PARTIAL, ignore_errors=True)
            self.accelerator.wait_for_everyone()  # type: ignore[attr-defined]
            super()._save_checkpoint(model, trial)  # type: ignore[misc]
            self.accelerator.wait_for_everyone()  # type: ignore[attr-defined]
            if args.should_save:
                self._publish(root, limit)
        except (OSError, RuntimeError, SafetensorError) as error:
            raise UserError(self._unwritten(root, error)) from None
        finally:
            args.output_dir, args.save_total_limit = str(root), limit

    def create_model_card(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - the trainer's own
        """Write none into a checkpoint; the run has a card of its own."""

    def _send_telemetry(self) -> None:
        """Tell nobody: a recipe names every network service that is spoken to."""

    @property
    def _step(self) -> int:
        return int(self.state.global_step)  # type: ignore[attr-defined]

    def _publish(self, root: Path, limit: int | None) -> None:
        written = root / PARTIAL / f"checkpoint-{self._step}"
        # The trainer's pickled arguments: the recipe says them, and nothing reads them.
        (written / "training_args.bin").unlink(missing_ok=True)
        target, state = root / written.name, self.state  # type: ignore[attr-defined]
        best = root / f"checkpoint-{state.best_global_step}"
        known = bool(state.best_global_step) and (best == target or best.is_dir())
        state.best_model_checkpoint = str(best) if known else None
        state.save_to_json(str(written / "trainer_state.json"))
        shutil.rmtree(target, ignore_errors=True)
        written.replace(target)
        rotate_checkpoints(
            output_dir=str(root), save_total_limit=limit, best_model_checkpoint=state.best_model_checkpoint
        )

    def _broken(self, what: str) -> str:
        last = last_checkpoint(Path(self.args.output_dir))  # type: ignore[attr-defined]
        return (
            f"{what}; training stops here. The last good checkpoint is {last or 'none: it stopped before the first'}. "
            "Lower optimisation.learning_rate, or set optimisation.precision=float32, and start again."
        )

    def _unwritten(self, root: Path, error: Exception) -> str:
        cause = str(error).strip().split("\n")[0][:200].rstrip(".")
        return (
            f"The checkpoint of step {self._step} could not be written to {root}: {cause}. Free some space and start "
            f"the same command again; it goes on from {last_checkpoint(root) or 'the beginning'}."
        )


class GuardSFTTrainer(CarefulTraining, SFTTrainer):
    """Supervised fine-tuning."""


class GuardDPOTrainer(CarefulTraining, DPOTrainer):
    """Preference optimisation on pairs that are tokens already."""

    def _prepare_dataset(self, dataset: Any, *_: Any) -> Any:  # noqa: ANN401 - trl's signature
        return dataset


def last_checkpoint(root: Path) -> Path | None:
    """Return the newest whole checkpoint in a folder, if there is one."""
    found = [path for path in root.glob("checkpoint-*") if path.name.removeprefix("checkpoint-").isdecimal()]
    return max(found, key=lambda path: int(path.name.removeprefix("checkpoint-")), default=None)
