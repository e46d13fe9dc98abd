"""Tiny models and a harmless corpus: the words say the levels."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from babelguard.item import Item
from babelguard.jsonl import write_jsonl
from train.classifier.options import ClassifierOptions
from train.recipe import TrainPlan, load_plan

WORDS = ("calm", "grumpy", "angry", "rude", "mild", "river", "stone", "cloud", "query", ":", "paper", "walk")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def save_tokenizer(folder: Path, *, pad: bool = True, special: bool = True) -> None:
    """Write a tokenizer of whole words."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({w: i for i, w in enumerate((*SPECIAL, *WORDS))}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    if special:
        words.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    named = {"cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]", "eos_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_object=words, **named, **({"pad_token": "[PAD]"} if pad else {})).save_pretrained(
        folder
    )


def save_encoder(folder: Path, *, layers: int = 2, hidden: int = 32) -> Path:
    """Write a BERT of random weights."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(SPECIAL) + len(WORDS),
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=2 * hidden,
        max_position_embeddings=64,
        initializer_range=0.2,
    )
    BertModel(config).save_pretrained(folder)
    save_tokenizer(folder)
    return folder


def save_decoder(folder: Path) -> Path:
    """Write a Llama of random weights, whose tokenizer has no pad token."""
    import torch
    from transformers import LlamaConfig, LlamaModel

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(SPECIAL) + len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.2,
    )
    LlamaModel(config).save_pretrained(folder)
    save_tokenizer(folder, pad=False, special=False)
    return folder


def items(contents: int = 60, languages: tuple[str, ...] = ("en", "fr")) -> Iterator[Item]:
    """Yield items in two languages and two registers whose words say their levels."""
    rng = np.random.default_rng(0)
    for number in range(contents):
        level = 1 + number % 3
        filler = rng.choice(WORDS[5:8], size=int(rng.integers(1, 12))).tolist()
        split = ("train", "train", "train", "calibration", "test")[number // 3 % 5]
        for language in languages:
            for register in ("neutral", "colloquial"):
                words = [*filler, WORDS[level - 1], *(["mild"] if register == "colloquial" else [])]
                insult = tuple(min(3, max(1, level + shift)) for shift in (0, 0, int(rng.integers(-1, 2))))
                yield Item(
                    id=f"{number}-{language}-{register}",
                    text=" ".join(words),
                    language=language,
                    source="tiny",
                    source_id=f"tiny/{number}",
                    register=register,
                    split=split,
                    labels={"Insult": insult, "Toxicity": (1 if level == 1 else level + 1,)},
                )


def write_items(path: Path, rows: Iterator[Item] | list[Item] | None = None) -> Path:
    """Write items as JSON lines."""
    write_jsonl(path, (item.to_dict() for item in (items() if rows is None else rows)))
    return path


def plan_of(folder: Path, corpus: Path, model: Path, *sets: str) -> TrainPlan[ClassifierOptions]:
    """Return the plan of a short training."""
    recipe = folder / f"{hashlib.sha256(repr(sets).encode()).hexdigest()[:6]}.yaml"
    recipe.write_text(
        f"name: tiny\nkind: classifier\ncorpus: {{source: items, path: {corpus}}}\nmodel: {{base: {model}, window: 24, "
        f"overlap: 4}}\noptimisation: {{epochs: 2, learning_rate: 0.01, report_to: []}}\nbatches: {{items: 16}}\n"
        f"lora: {{rank: 4, dropout: 0.0}}\nhead: {{learning_rate: 0.05}}\noutput: {folder}\n"
        "calibration: {folds: 2, deviations: [1], levels: {shrinkage: [10], candidates: 5}, flags: {shrinkage: [9]}}\n",
        encoding="utf-8",
    )
    plan: TrainPlan[Any] = load_plan(recipe, sets)
    return plan
