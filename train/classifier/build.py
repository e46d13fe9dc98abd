"""Builds the model of a guard: backbone, tokenizer, pooling, head and adapter."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelguard.errors import UserError
from train.classifier.columns import Columns
from train.classifier.options import BaseModelRecipe, HeadRecipe
from train.lora import LoraOptions, add_lora, four_bit_weights

if TYPE_CHECKING:
    from train.classifier.model import GuardClassifier


@dataclass(frozen=True)
class BuiltModel:
    """A model before training.

    Attributes:
        model: The classifier.
        tokenizer: `transformers.PreTrainedTokenizerBase`, with a pad token.
        recipe: Its recipe, pooling resolved.
        remarks: What a user should know, in sentences.
    """

    model: GuardClassifier
    tokenizer: Any
    recipe: BaseModelRecipe
    remarks: tuple[str, ...]


def build_model(recipe: BaseModelRecipe, head: HeadRecipe, columns: Columns, lora: LoraOptions | None) -> BuiltModel:
    """Load the backbone and put an untrained head on it; the adapter is added by `adapt`.

    Raises:
        UserError: A library is missing, the model cannot be loaded or is no encoder or decoder, its tokenizer has
            nothing to pad with, or the window is longer than its positions.
    """
    _require_libraries(recipe.base)
    from transformers import AutoConfig

    from train.classifier.heads import GuardHead
    from train.classifier.model import GuardClassifier

    source, common = _source(recipe)
    try:
        config = AutoConfig.from_pretrained(source, **common)
    except (OSError, ValueError, KeyError) as error:
        raise UserError(_reason(recipe.base, error)) from None
    tokenizer, remarks = load_tokenizer(recipe)
    _check_window(recipe, config)
    pooling = _pooling(recipe, config)
    backbone = _load_backbone(recipe, source, {**common, **_dropout(recipe, config)}, lora)
    made = GuardHead(head.kind, _width(config), columns.scales, dropout=recipe.dropout, normalise=head.normalise)
    resolved = recipe.model_copy(update={"pooling": pooling})
    return BuiltModel(GuardClassifier(backbone, made, pooling), tokenizer, resolved, tuple(remarks))


def adapt(model: GuardClassifier, lora: LoraOptions | None) -> Any:  # noqa: ANN401 - a peft model, or the model
    """Return the model with an adapter, whose head is trained whole and saved with it; without one, the model itself.

    Raises:
        UserError: The adapter does not fit the model.
    """
    if lora is None:
        return model
    return add_lora(model, lora, modules_to_save=["head"])


def load_tokenizer(recipe: BaseModelRecipe) -> tuple[Any, list[str]]:
    """Return the tokenizer with a pad token, and remarks.

    Raises:
        UserError: It cannot be loaded, is not a fast one, or has no token to pad with.
    """
    from transformers import AutoTokenizer

    source, common = _source(recipe)
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, **common)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise UserError(_reason(recipe.base, error)) from None
    if not tokenizer.is_fast:
        raise UserError(f"The model {recipe.base} has no fast tokenizer (tokenizer.json); convert it first.")
    remarks = []
    if tokenizer.pad_token_id is None:
        stand_in = tokenizer.eos_token or tokenizer.unk_token
        if stand_in is None:
            raise UserError(
                f"The tokenizer of {recipe.base} has no pad token, and neither an end nor an unknown token to stand in "
                "for it; add one to its files."
            )
        tokenizer.pad_token = stand_in
        remarks.append(f"The tokenizer of {recipe.base} has no pad token; {stand_in} stands in for it.")
    return tokenizer, remarks


def _load_backbone(recipe: BaseModelRecipe, source: str, common: dict[str, Any], lora: LoraOptions | None) -> Any:  # noqa: ANN401
    import torch
    from transformers import AutoModel

    dtype = getattr(torch, _dtype(recipe, lora))
    attention = {} if recipe.attention == "auto" else {"attn_implementation": recipe.attention}
    quantised = None if lora is None else four_bit_weights(lora, dtype)
    try:
        backbone = AutoModel.from_pretrained(
            source, dtype=dtype, use_safetensors=True, quantization_config=quantised, **attention, **common
        )
    except (OSError, ValueError, ImportError) as error:
        raise UserError(_reason(recipe.base, error)) from None
    # A pooler that nothing learnt would only be carried along, and into the export.
    if getattr(backbone, "pooler", None) is not None:
        backbone.pooler = None
    return backbone


def _dtype(recipe: BaseModelRecipe, lora: LoraOptions | None) -> str:
    import torch

    if recipe.dtype != "auto":
        return recipe.dtype
    # Weights that are trained stay in float32: small steps would be lost in bfloat16.
    return "bfloat16" if lora is not None and torch.cuda.is_available() else "float32"


def _pooling(recipe: BaseModelRecipe, config: Any) -> str:  # noqa: ANN401 - a configuration of transformers
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    if getattr(config, "is_encoder_decoder", False):
        raise UserError(f"The model {recipe.base} is an encoder-decoder; choose an encoder or a decoder.")
    if recipe.pooling != "auto":
        return recipe.pooling
    kind = config.model_type
    decoder = kind in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and kind not in MODEL_FOR_MASKED_LM_MAPPING_NAMES
    return "last" if decoder else "mean"


def _width(config: Any) -> int:  # noqa: ANN401 - a configuration of transformers
    return int(config.get_text_config().hidden_size)


def _check_window(recipe: BaseModelRecipe, config: Any) -> None:  # noqa: ANN401 - a configuration of transformers
    text = config.get_text_config()
    longest = getattr(text, "max_position_embeddings", None)
    if not isinstance(longest, int) or longest <= 0:
        return
    # RoBERTa's family counts positions from the pad token's id on.
    if text.model_type in ("xlm-roberta", "roberta", "camembert", "xlm-roberta-xl"):
        longest -= (text.pad_token_id or 0) + 1
    if recipe.window > longest:
        raise UserError(
            f"model.window is {recipe.window} tokens, and {recipe.base} knows positions for {longest}; "
            f"set model.window={longest} or less. Longer texts are rated in overlapping windows."
        )


def _dropout(recipe: BaseModelRecipe, config: Any) -> dict[str, float]:  # noqa: ANN401 - a transformers configuration
    """Return the configuration's dropout rates as the recipe wants them; architectures name them differently."""
    if recipe.backbone_dropout is None:
        return {}
    named = {name for name in vars(config) if "drop" in name and "layer" not in name and "classifier" not in name}
    return {name: recipe.backbone_dropout for name in named if isinstance(getattr(config, name), float)}


def _source(recipe: BaseModelRecipe) -> tuple[str, dict[str, Any]]:
    folder = Path(recipe.base).expanduser()
    common: dict[str, Any] = {"trust_remote_code": recipe.trust_remote_code, "revision": recipe.revision}
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise UserError(f"The folder {folder} holds no config.json, so it is no model that transformers can load.")
        return str(folder), common
    if recipe.base.startswith((".", "/", "~")) or recipe.base.count("/") > 1:
        raise UserError(f"The model folder {folder} does not exist; set model.base to a folder or a hub name.")
    return recipe.base, common


def _require_libraries(model: str) -> None:
    missing = [n for n in ("torch", "transformers", "peft", "accelerate") if importlib.util.find_spec(n) is None]
    if missing:
        raise UserError(
            f"Training {model} needs {' and '.join(missing)}; install with: pip install 'babelguard[train]'."
        )


def _reason(model: str, error: Exception) -> str:
    first = str(error).strip().split("\n")[0][:300].rstrip(".") + "."
    if "safetensors" in first:
        return f"The model {model} has no safetensors weights, and no others are read: {first}"
    if isinstance(error, OSError):
        return (
            f"The model {model} cannot be loaded: {first} If this machine does not reach the hub, fetch the model "
            "elsewhere and set model.base to its folder; a gated model also needs HF_TOKEN in the environment."
        )
    return f"The model {model} cannot be loaded as an encoder or decoder: {first}"
