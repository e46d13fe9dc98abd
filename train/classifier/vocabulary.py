"""The vocabulary of a guard, cut before it is trained: training then reads texts in the tokens that serving will use.

A vocabulary that is cut after training leaves the model with texts in pieces that it never learnt from.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from train.classifier.build import BuiltModel
from train.classifier.options import VocabularyRecipe
from train.corpus import TrainingCorpus, shown_text
from train.exporting.vocabulary import rank_tokens

FILE: Final = "kept_tokens.safetensors"
"""Stands beside the weights: the base model's token id of each of the guard's."""

_KEY: Final = "kept"


def cut_vocabulary(built: BuiltModel, recipe: VocabularyRecipe, corpus: TrainingCorpus) -> BuiltModel:
    """Return the model and its tokenizer with the tokens that the training texts use, the most frequent first.

    Special tokens and the single characters of the languages' scripts always stay, so that any text can be read.

    Args:
        built: A model before training; its backbone is changed in place.
        recipe: How many tokens.
        corpus: The corpus; the languages are those of its training split.

    Raises:
        UserError: The tokenizer is of a kind that cannot be cut.
    """
    languages = sorted({item.language for item in corpus.items["train"]})
    texts = (built.recipe.prefix + shown_text(item) for item in corpus.items["train"])
    source = built.tokenizer.backend_tokenizer.to_str()
    ranking = rank_tokens(source, texts, languages, recipe.least_count)
    wanted = ranking.needed if recipe.tokens is None else recipe.tokens
    if wanted < len(ranking.always):
        raise UserError(
            f"model.vocabulary.tokens is {wanted:,}, and special tokens and single characters alone are "
            f"{len(ranking.always):,}; raise it, or train fewer languages."
        )
    tokenizer, kept = ranking.pruned(wanted)
    cut = _tokenizer(json.dumps(tokenizer, ensure_ascii=False), built.tokenizer)
    keep_rows(built.model.backbone, kept)
    remark = (
        f"The vocabulary was cut to {len(kept):,} tokens before training; the base model has "
        f"{built.tokenizer.vocab_size:,}."
    )
    return replace(built, tokenizer=cut, kept=kept, remarks=(*built.remarks, remark))


def keep_rows(backbone: Any, kept: NDArray[np.int64]) -> None:  # noqa: ANN401 - a transformers model
    """Cut the token embedding of a backbone to some rows, in place; the n-th of `kept` becomes id n.

    Raises:
        UserError: The padding token would move, in a model of RoBERTa's family, or the tokenizer has more tokens than
            the model.
    """
    import torch

    old = backbone.get_input_embeddings()
    if kept.max() >= old.num_embeddings:
        raise UserError(
            f"The tokenizer has a token {kept.max():,}, and the model's embedding ends at {old.num_embeddings - 1:,}; "
            "the two do not belong together."
        )
    new = torch.nn.Embedding(len(kept), old.embedding_dim, dtype=old.weight.dtype, device=old.weight.device)
    with torch.no_grad():
        new.weight.copy_(old.weight[torch.from_numpy(kept).to(old.weight.device)])
    backbone.set_input_embeddings(new)
    config = backbone.config.get_text_config()
    config.vocab_size = len(kept)
    padding = config.pad_token_id
    if padding is None:
        return
    moved = int(np.searchsorted(kept, padding)) if padding in kept else None
    counts = any(
        getattr(module, "padding_idx", None) == padding
        for module in backbone.modules()
        if not isinstance(module, torch.nn.Embedding)
    )
    if counts and moved != padding:
        raise UserError(
            "This model counts positions from the padding token's id, which would move; leave model.vocabulary out."
        )
    config.pad_token_id = moved


def save_kept(folder: Path, kept: NDArray[np.int64]) -> None:
    """Write which tokens of the base model a guard has."""
    from safetensors.numpy import save_file

    save_file({_KEY: kept}, folder / FILE)


def load_cut(folder: Path, backbone: Any) -> Any:  # noqa: ANN401 - transformers' model and tokenizer
    """Cut a freshly loaded backbone as a training did, and return that training's tokenizer.

    Args:
        folder: Holds the tokenizer and `FILE`.
        backbone: The base model's backbone, changed in place.

    Raises:
        UserError: The file is missing or does not fit the base model.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file
    from transformers import PreTrainedTokenizerFast

    try:
        kept = load_file(folder / FILE)[_KEY]
    except (OSError, KeyError, SafetensorError):
        raise UserError(
            f"{folder} holds no readable {FILE}, which says what tokens the guard has; train it anew."
        ) from None
    rows = backbone.get_input_embeddings().num_embeddings
    if kept.ndim != 1 or not len(kept) or kept.max() >= rows:
        raise UserError(f"{folder / FILE} is not of this base model, which has {rows:,} tokens; train the guard anew.")
    keep_rows(backbone, kept)
    return PreTrainedTokenizerFast.from_pretrained(str(folder))


def _tokenizer(source: str, before: Any) -> Any:  # noqa: ANN401 - transformers' tokenizers
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    named = {name: str(token) for name, token in before.special_tokens_map.items() if isinstance(token, str)}
    made: Any = PreTrainedTokenizerFast
    return made(
        tokenizer_object=Tokenizer.from_str(source),
        model_max_length=before.model_max_length,
        padding_side=before.padding_side,
        **named,
    )
