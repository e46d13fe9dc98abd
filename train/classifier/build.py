"""Builds the model of a guard: backbone, tokenizer, pooling, head and adapter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from train.base_model import dtype_of, not_loaded, require_libraries, source_of
from train.classifier.columns import Columns
from train.classifier.options import BaseModelRecipe, HeadRecipe
from train.lora import LoraOptions, add_lora, four_bit_weights

if TYPE_CHECKING:
    from train.classifier.model import GuardClassifier

_LIBRARIES: Final = ("torch", "transformers", "peft", "accelerate")


@dataclass(frozen=True)
class BuiltModel:
    """A model before training.

    Attributes:
        model: The classifier.
        tokenizer: `transformers.PreTrainedTokenizerBase`, with a pad token.
        recipe: Its recipe, pooling resolved.
        remarks: What a user should know, in sentences.
        kept: Token id in the base model of each token, where the vocabulary was cut.
    """

    model: GuardClassifier
    tokenizer: Any
    recipe: BaseModelRecipe
    remarks: tuple[str, ...]
    kept: NDArray[np.int64] | None = None


def build_model(recipe: BaseModelRecipe, head: HeadRecipe, columns: Columns, lora: LoraOptions | None) -> BuiltModel:
    """Load the backbone and put an untrained head on it; the adapter is added by `adapt`.

    Raises:
        UserError: A library is missing, the model cannot be loaded or is no encoder or decoder, its tokenizer has
            nothing to pad with, or the window is longer than its positions.
    """
    require_libraries(recipe.base, _LIBRARIES)
    from transformers import AutoConfig

    from train.classifier.heads import GuardHead
    from train.classifier.model import GuardClassifier

    source, common = source_of(recipe)
    try:
        config = AutoConfig.from_pretrained(source, **common)
    except (OSError, ValueError, KeyError) as error:
        raise not_loaded(recipe.base, error, "an encoder or decoder") from None
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

    source, common = source_of(recipe)
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, **common)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise not_loaded(recipe.base, error, "an encoder or decoder") from None
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

    dtype = getattr(torch, dtype_of(recipe, lora))
    attention = {} if recipe.attention == "auto" else {"attn_implementation": recipe.attention}
    quantised = None if lora is None else four_bit_weights(lora, dtype)
    try:
        backbone = AutoModel.from_pretrained(
            source, dtype=dtype, use_safetensors=True, quantization_config=quantised, **attention, **common
        )
    except (OSError, ValueError, ImportError) as error:
        raise not_loaded(recipe.base, error, "an encoder or decoder") from None
    # A pooler that nothing learnt would only be carried along, and into the export.
    if getattr(backbone, "pooler", None) is not None:
        backbone.pooler = None
    return backbone


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
