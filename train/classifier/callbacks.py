"""What happens beside the steps of a training: a limit on its hours, a log as JSON lines, checkpoints to compare."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from babelguard.jsonl import dump_line


class TimeLimit(TrainerCallback):
    """Stops with a checkpoint when its time is over.

    Attributes:
        reached: Whether it was.
    """

    def __init__(self, hours: float | None) -> None:
        self.ends = None if hours is None else time.monotonic() + hours * 3600
        self.reached = False

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:  # noqa: ANN401
        """Ask for a checkpoint and for the end."""
        if self.ends is None or state.global_step >= state.max_steps:
            return
        if _any_process(time.monotonic() >= self.ends, args.device):
            self.reached = True
            control.should_save = True
            control.should_training_stop = True


class SaveWhatIsCompared(TrainerCallback):
    """Keeps a checkpoint of every evaluation, so that the best one is there to be taken."""

    def on_evaluate(
        self,
        args: TrainingArguments,  # noqa: ARG002 - the trainer's signature, here and below
        state: TrainerState,  # noqa: ARG002
        control: TrainerControl,
        **_: Any,  # noqa: ANN401
    ) -> None:
        """Ask for a checkpoint."""
        control.should_save = True


class LogFile(TrainerCallback):
    """Appends everything that the trainer logs to a file; a resumed run first drops what came after its checkpoint."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def on_train_begin(
        self,
        args: TrainingArguments,  # noqa: ARG002
        state: TrainerState,
        control: TrainerControl,  # noqa: ARG002
        **kwargs: Any,  # noqa: ANN401, ARG002
    ) -> None:
        """Cut the file back to the step that training goes on from."""
        if not state.is_world_process_zero or not self.path.exists():
            return
        import json

        with self.path.open("rb") as stream:
            kept = [line for line in stream if line.endswith(b"\n") and json.loads(line)["step"] <= state.global_step]
        self.path.write_bytes(b"".join(kept) if state.global_step else b"")

    def on_log(
        self,
        args: TrainingArguments,  # noqa: ARG002
        state: TrainerState,
        control: TrainerControl,  # noqa: ARG002
        logs: dict[str, Any] | None = None,
        **kwargs: Any,  # noqa: ANN401, ARG002
    ) -> None:
        """Append one line."""
        if state.is_world_process_zero and logs:
            # JSON has no NaN: an undefined figure is null.
            plain = {name: None if value != value else value for name, value in logs.items()}  # noqa: PLR0124
            with self.path.open("ab") as stream:
                stream.write(dump_line({"step": state.global_step, **plain}))


def _any_process(flag: bool, device: Any) -> bool:  # noqa: ANN401 - a torch device
    """Tell whether the flag is set in any of the processes that train together: their clocks differ by a step."""
    import torch

    if not torch.distributed.is_available() or not torch.distributed.is_initialized():
        return flag
    found = torch.tensor(int(flag), device=device)
    torch.distributed.all_reduce(found, op=torch.distributed.ReduceOp.MAX)
    return bool(found.item())
