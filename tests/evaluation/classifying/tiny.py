"""Tiny classifiers with random weights, one for every architecture that a preset needs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

FAMILIES = ("bert", "roberta", "xlm-roberta", "deberta", "deberta-v2", "qwen2", "llama")
POSITIONS = 66
TEXTS = (
    "a cat sat on the mat",
    "the dog barks",
    "Où est le chat ? Il dort sur le canapé depuis ce matin.",
    "кот спит",
    "猫が寝ている",
    "x",
    "one two three four five six seven eight nine ten eleven twelve",
)


def save_tiny(
    folder: Path,
    family: str,
    labels: Sequence[str],
    problem_type: str | None = None,
    seed: int = 0,
    positions: int = POSITIONS,
) -> Path:
    """Save a classifier of two layers and 32 dimensions, with a byte-level tokenizer."""
    import torch
    from transformers import AutoModelForSequenceClassification

    tokenizer = _tokenizer(family, positions)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    model = AutoModelForSequenceClassification.from_config(_config(family, tokenizer, labels, problem_type, positions))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)  # the usual start is so small that all probabilities are alike
    model.save_pretrained(folder)
    return folder


def _tokenizer(family: str, positions: int) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    causal = family in {"qwen2", "llama"}
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        TEXTS, trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
    )
    if not causal:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
        )
    limit = 1000 if causal else positions - (2 if "roberta" in family else 0)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        unk_token="<unk>",
        pad_token=None if causal else "<pad>",
        model_max_length=limit,
    )


def _config(family: str, tokenizer: Any, labels: Sequence[str], problem_type: str | None, positions: int) -> Any:
    from transformers import AutoConfig

    extra: dict[str, Any] = {}
    if family in {"qwen2", "llama"}:
        extra = {"num_key_value_heads": 2, "pad_token_id": None}
    elif family.startswith("deberta"):
        extra = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "type_vocab_size": 0, "pad_token_id": 1}
    else:
        extra = {"pad_token_id": 1}
    return AutoConfig.for_model(
        family,
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=positions,
        bos_token_id=0,
        eos_token_id=2,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        problem_type=problem_type,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        **extra,
    )
