"""Goes on from a trained guard: its adapter and head instead of new ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from train.classifier.load import BEST
from train.classifier.spec import GuardSpec, read_spec

_OF_THE_ADAPTER = ("lora_alpha", "use_rslora", "use_dora")
"""What decides an adapter's effect beside its weights: they would fit, and mean something else."""


def start_from(run: Path, model: Any, spec: GuardSpec) -> None:  # noqa: ANN401 - a peft model, or the classifier
    """Give a new model the weights that another training ended with.

    Args:
        run: Folder of that training.
        model: The model to train, with its adapter.
        spec: What the model is.

    Raises:
        UserError: That training has not ended, or its guard is of another form: categories, head, pooling, adapter.
    """
    from safetensors.torch import load_file

    earlier = read_spec(run)
    for what, ours, theirs in _compared(spec, earlier):
        if ours != theirs:
            raise UserError(f"start_from: {run} has {what} {theirs}, this recipe {ours}; they must be equal.")
    weights = run / BEST / ("adapter_model.safetensors" if earlier.adapter else "model.safetensors")
    if not weights.is_file():
        raise UserError(f"start_from: {run} holds no {weights.relative_to(run)}; its training has not ended.")
    found = load_file(weights)
    if earlier.adapter:
        from peft import get_peft_model_state_dict, set_peft_model_state_dict

        _check_adapter(run, model)
        _check_shapes(run, get_peft_model_state_dict(model), found)
        set_peft_model_state_dict(model, found)
    else:
        _check_shapes(run, model.state_dict(), found)
        model.load_state_dict(found)


def _compared(spec: GuardSpec, earlier: GuardSpec) -> Iterator[tuple[str, object, object]]:
    yield "the taxonomy", spec.taxonomy, earlier.taxonomy
    yield "the categories", ", ".join(spec.categories), ", ".join(earlier.categories)
    yield "head.kind", spec.head.kind, earlier.head.kind
    yield "head.normalise", spec.head.normalise, earlier.head.normalise
    yield "model.pooling", spec.model.pooling, earlier.model.pooling
    yield "model.prefix", repr(spec.model.prefix), repr(earlier.model.prefix)
    yield "an adapter:", spec.adapter, earlier.adapter


def _check_adapter(run: Path, model: Any) -> None:  # noqa: ANN401 - a peft model
    from peft import PeftConfig

    earlier, ours = PeftConfig.from_pretrained(str(run / BEST)), model.peft_config["default"]
    for name in _OF_THE_ADAPTER:
        if (theirs := getattr(earlier, name)) != getattr(ours, name):
            raise UserError(
                f"start_from: the adapter of {run} has {name} {theirs}, this recipe's {getattr(ours, name)}; use the "
                "same lora."
            )


def _check_shapes(run: Path, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    if {name: tensor.shape for name, tensor in ours.items()} != {name: tensor.shape for name, tensor in theirs.items()}:
        raise UserError(
            f"start_from: the weights of {run} do not fit this recipe's model; use the same base, head and lora (rank, "
            "targets, freeze_layers)."
        )


def mix_with_start(run: Path, best: Path, share: float) -> None:
    """Replace weights by their mean with those they were trained from (Wortsman et al. 2022): s w_start + (1 - s) w.

    What further training adds stays in part, and so does what it takes away; weights of one descent can be averaged
    where those of two trainings cannot.

    Args:
        run: Folder of the training that was started from.
        best: Folder of the weights.
        share: s, from 0 to 1.
    """
    from safetensors.torch import load_file, save_file

    for name in ("adapter_model.safetensors", "model.safetensors"):
        if (best / name).is_file():
            before, after = load_file(run / BEST / name), load_file(best / name)
            mixed = {key: share * before[key].float() + (1 - share) * after[key].float() for key in after}
            save_file({key: value.to(after[key].dtype) for key, value in mixed.items()}, best / name)
