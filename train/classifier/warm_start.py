"""Goes on from a trained guard: its adapter and head instead of new ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from train.classifier.load import BEST
from train.classifier.spec import GuardSpec, read_spec


def start_from(run: Path, model: Any, spec: GuardSpec) -> None:  # noqa: ANN401 - a peft model, or the classifier
    """Give a new model the weights that another training ended with.

    Args:
        run: Folder of that training.
        model: The model to train, with its adapter.
        spec: What the model is.

    Raises:
        UserError: That training has not ended, or its guard has other categories, another head or another adapter.
    """
    from safetensors.torch import load_file

    earlier = read_spec(run)
    for what, ours, theirs in (
        ("taxonomy", spec.taxonomy, earlier.taxonomy),
        ("head", spec.head.kind, earlier.head.kind),
        ("adapter", spec.adapter, earlier.adapter),
    ):
        if ours != theirs:
            raise UserError(
                f"start_from: {run} has the {what} {theirs}, this recipe {ours}; they must be equal."
            )
    weights = run / BEST / ("adapter_model.safetensors" if earlier.adapter else "model.safetensors")
    if not weights.is_file():
        raise UserError(f"start_from: {run} holds no {weights.relative_to(run)}; its training has not ended.")
    try:
        if earlier.adapter:
            from peft import set_peft_model_state_dict

            strange = set_peft_model_state_dict(model, load_file(weights)).unexpected_keys
        else:
            strange = model.load_state_dict(load_file(weights), strict=False).unexpected_keys
    except RuntimeError:
        raise _other_shape(run) from None
    if strange:
        raise _other_shape(run)


def _other_shape(run: Path) -> UserError:
    return UserError(
        f"start_from: the weights of {run} do not fit this recipe's model; use the same base, head and lora (rank, "
        "targets, freeze_layers)."
    )
