"""LoRA adapters for every kind of guard: the recipe fields, and the modules of a model that get an adapter.

Both kinds of guard use this module, so that a recipe's `lora` means the same for an encoder with a head and for a
causal model. Heads belong to the caller: pass their names as `modules_to_save`, else peft leaves them out of the
adapter.

Sources: LoRA (Hu et al., 2022), QLoRA (Dettmers et al., 2023), rsLoRA (Kalajdzievski, 2023), DoRA (Liu et al., 2024).
"""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Collection, Sequence
from typing import Any, Literal

from pydantic import Field, field_validator

from babelguard.errors import UserError
from babelguard.recipe import RecipeModel

Placement = Literal["attention", "all"]


class LoraOptions(RecipeModel):
    """An adapter: its size, where it sits, and its variants."""

    rank: int = Field(16, ge=1, le=1024, description="Rank of the update matrices")
    alpha: int = Field(32, ge=1, description="Numerator of the scale: alpha / rank, or alpha / sqrt(rank) with rslora")
    dropout: float = Field(0.05, ge=0.0, lt=1.0, description="Dropout before the update matrices")
    targets: Placement | tuple[str, ...] = Field(
        "all",
        description="attention: the attention's matrices; all: the feed-forward ones too; or the last parts of the "
        "modules' names, such as [q_proj, v_proj]",
    )
    freeze_layers: int = Field(
        0, ge=0, description="Lowest layers without an adapter: no gradient passes through them, which saves time"
    )
    dora: bool = Field(False, description="Weight-decomposed updates: slower, for low ranks")
    rslora: bool = Field(False, description="Scale by the square root of the rank: for high ranks")
    four_bit: bool = Field(False, description="QLoRA: the frozen weights in 4 bits (NF4); CUDA with bitsandbytes only")

    @field_validator("targets")
    @classmethod
    def _some_target(cls, targets: Placement | tuple[str, ...]) -> Placement | tuple[str, ...]:
        if not targets or not all(targets):
            raise ValueError("'targets' is attention, all, or a list of module names")
        return targets


def find_targets(
    model: Any,  # noqa: ANN401 - a torch module
    targets: Placement | Sequence[str],
    freeze_layers: int = 0,
) -> list[str]:
    """Return the full names of the modules that get an adapter, in the model's order.

    A module counts if it is a matrix inside one of the model's layers, that is, below a `torch.nn.ModuleList`. So
    embeddings, poolers and heads never count, whatever the architecture calls them.

    Args:
        model: `torch.nn.Module`; a transformers model, or a module around one.
        targets: ``attention``, ``all``, or the last parts of names.
        freeze_layers: Lowest layers that get none.

    Raises:
        UserError: Every layer is left out, a name is none of the model's, or the model has no such matrices; the
            sentence names those it has.
    """
    found = [name for name, module in model.named_modules() if _is_matrix(module) and _in_layer(name, model)]
    if not found:
        raise UserError(
            f"No matrices for LoRA were found in the layers of {type(model).__name__}; list them in lora.targets."
        )
    layers = 1 + max(_layer_of(name) for name in found)
    if freeze_layers >= layers:
        raise UserError(f"lora.freeze_layers is {freeze_layers}, and {type(model).__name__} has {layers} layers.")
    found = [name for name in found if _layer_of(name) >= freeze_layers]
    if isinstance(targets, str):
        kept = [name for name in found if targets == "all" or _in_attention(name)]
        if not kept:
            raise UserError(
                f"No attention matrices were found in {type(model).__name__}; its layers have "
                f"{', '.join(_last_parts(found))}. List some of them in lora.targets."
            )
        return kept
    for target in targets:
        if not any(_named(name, target) for name in found):
            raise _unknown_target(target, found, type(model).__name__)
    return [name for name in found if any(_named(name, target) for target in targets)]


def add_lora(
    model: Any,  # noqa: ANN401 - a transformers model
    options: LoraOptions,
    task: str | None = None,
    modules_to_save: Sequence[str] = (),
) -> Any:  # noqa: ANN401 - a peft model
    """Return the model with an adapter to train; its own weights are frozen.

    Args:
        model: `transformers.PreTrainedModel`, or a module around one.
        options: The recipe's fields.
        task: peft's task type, such as ``CAUSAL_LM``; `None` for a plain module.
        modules_to_save: Modules that are trained whole and stored with the adapter, such as a new head.

    Raises:
        UserError: As `find_targets`, or this model does not take such an adapter.
    """
    from peft import get_peft_model, prepare_model_for_kbit_training

    config = lora_config(model, options, task, modules_to_save)
    if options.four_bit:
        prepare: Any = prepare_model_for_kbit_training
        model = prepare(model, use_gradient_checkpointing=False)
    try:
        return get_peft_model(model, config)
    except (ValueError, NotImplementedError) as error:
        raise UserError(f"LoRA does not fit {type(model).__name__}: {str(error).strip().splitlines()[0]}") from None


def lora_config(
    model: Any,  # noqa: ANN401 - a transformers model
    options: LoraOptions,
    task: str | None = None,
    modules_to_save: Sequence[str] = (),
) -> Any:  # noqa: ANN401 - peft.LoraConfig
    """Return peft's configuration for this model; see `add_lora`."""
    from peft import LoraConfig
    from transformers.pytorch_utils import Conv1D

    targets = find_targets(model, options.targets, options.freeze_layers)
    return LoraConfig(
        r=options.rank,
        lora_alpha=options.alpha,
        lora_dropout=options.dropout,
        target_modules=targets,
        modules_to_save=list(modules_to_save) or None,
        use_dora=options.dora,
        use_rslora=options.rslora,
        fan_in_fan_out=isinstance(model.get_submodule(targets[0]), Conv1D),
        bias="none",
        task_type=task,
    )


def four_bit_weights(options: LoraOptions, dtype: Any) -> Any:  # noqa: ANN401 - a torch dtype
    """Return transformers' `quantization_config` for loading the frozen weights; `None` unless `four_bit` is set.

    Raises:
        UserError: There is no CUDA device, or bitsandbytes is missing.
    """
    if not options.four_bit:
        return None
    import torch

    if not torch.cuda.is_available():
        raise UserError(
            "lora.four_bit (QLoRA) needs a CUDA device, and this machine has none; set lora.four_bit=false and take a "
            "smaller model, or train on a machine with a GPU."
        )
    if importlib.util.find_spec("bitsandbytes") is None:
        raise UserError("lora.four_bit (QLoRA) needs bitsandbytes; install it with: pip install bitsandbytes.")
    import transformers

    config: Any = transformers.BitsAndBytesConfig
    return config(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=dtype,
        bnb_4bit_quant_storage=dtype,
    )


def _is_matrix(module: Any) -> bool:  # noqa: ANN401 - a torch module
    import torch
    from transformers.pytorch_utils import Conv1D

    return isinstance(module, torch.nn.Linear | Conv1D)


def _in_layer(name: str, model: Any) -> bool:  # noqa: ANN401 - a torch module
    import torch

    parts = name.split(".")
    numbers = [place for place, part in enumerate(parts) if part.isdecimal()]
    return any(isinstance(model.get_submodule(".".join(parts[:place])), torch.nn.ModuleList) for place in numbers)


def _layer_of(name: str) -> int:
    return int(next(part for part in name.split(".") if part.isdecimal()))


def _in_attention(name: str) -> bool:
    parts = name.split(".")
    innermost = max(place for place, part in enumerate(parts) if part.isdecimal())
    return any("attn" in part.lower() or "attention" in part.lower() for part in parts[innermost + 1 :])


def _named(name: str, target: str) -> bool:
    return name == target or name.endswith(f".{target}")


def _last_parts(names: Collection[str]) -> list[str]:
    return sorted({name.rsplit(".", 1)[-1] for name in names})


def _unknown_target(target: str, found: Collection[str], model: str) -> UserError:
    known = _last_parts(found)
    close = difflib.get_close_matches(target, known, n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return UserError(f"lora.targets: {model} has no module {target!r}.{hint} Its layers have: {', '.join(known)}.")
