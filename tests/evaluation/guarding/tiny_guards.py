"""Tiny guards, made in the tests: two layers with random weights and a tokenizer trained on the presets' own texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from babelguard.item import Item, Message, Role
from babelguard.recipe import validate
from babelguard.response_cache import ResponseCache
from babelguard.taxonomy import RTP_LX
from evaluation.guarding.options import GenerativeGuardOptions
from evaluation.preset import FOLDER
from evaluation.rater import Workbench
from evaluation.raters import generative_guard
from tests.evaluation.guarding.layouts import (
    CHATML,
    GRANITE,
    LLAMA_GUARD_1,
    LLAMA_GUARD_3,
    LLAMA_GUARD_3_PARTS,
    LLAMA_GUARD_4,
    MISTRAL,
    QWEN3_GUARD,
    SHIELD_GEMMA,
    WORDS,
)

FAMILIES: Mapping[str, tuple[str, str | None]] = {
    "llama-guard-1": ("llama", LLAMA_GUARD_1),
    "llama-guard-2": ("llama", LLAMA_GUARD_3),
    "llama-guard-3-8b": ("llama", LLAMA_GUARD_3),
    "llama-guard-3-1b": ("llama", LLAMA_GUARD_3_PARTS),
    "llama-guard-4": ("llama4_text", LLAMA_GUARD_4),
    "shieldgemma": ("gemma2", SHIELD_GEMMA),
    "wildguard": ("mistral", None),
    "polyguard-qwen": ("qwen2", CHATML),
    "polyguard-ministral": ("mistral", MISTRAL),
    "qwen3guard": ("qwen3", QWEN3_GUARD),
    "granite": ("granite", GRANITE),
    "aegis": ("llama", None),
}
"""Beginning of a preset's name (after ``guard-``) -> the model's family and the layout of its tokenizer's template."""

CONTROL = (
    "<pad>", "<s>", "</s>", "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>",
    "<|header_start|>", "<|header_end|>", "<|eot|>", "<start_of_turn>", "<end_of_turn>", "<|start_of_role|>",
    "<|end_of_role|>", "<|end_of_text|>", "<|im_start|>", "<|im_end|>", "[INST]", "[/INST]",
)  # fmt: skip
LINES = (
    "safe unsafe safe unsafe safe\n\nunsafe\nS1,S10",
    "Safety: Safe Safety: Unsafe Safety: Controversial",
    "Harmful request: yes Response refusal: no Harmful response: yes",
    "Yes No Yes No <score> yes </score>",
    "Good morning! How do I bake bread at home, and what flour is best?",
)
MORE: Mapping[str, Mapping[str, Any]] = {
    "gemma2": {"head_dim": 8, "sliding_window": 512},
    "mistral": {"sliding_window": None},
    "qwen3": {"head_dim": 8},
    "llama4_text": {"head_dim": 8, "intermediate_size_mlp": 48, "num_local_experts": 2, "attention_chunk_size": 512},
}


def family_of(preset: str) -> tuple[str, str | None]:
    """Return the model family and the chat template for a preset's model."""
    name = preset.removeprefix("guard-")
    return next(FAMILIES[start] for start in sorted(FAMILIES, key=len, reverse=True) if name.startswith(start))


def _prompts() -> list[str]:
    """Return the presets' and the templates' own texts, so that prompts have few tokens."""
    presets = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("guard-*.yaml"))]
    return [*presets, *WORDS.values(), *(layout for _, layout in FAMILIES.values() if layout)]


@cache
def _trained() -> str:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1400,
        special_tokens=list(CONTROL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([*LINES * 4, *_prompts()], trainer)
    made.add_tokens([AddedToken("<think>"), AddedToken("</think>")])
    return str(made.to_str())


def tokenizer(chat_template: str | None) -> Any:
    """Return a trained byte-level tokenizer."""
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(_trained()), bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )
    wrapped.chat_template = chat_template
    return wrapped


def model(family: str, vocabulary: int, positions: int = 8192) -> Any:
    """Return a model of two layers, 32 wide, whose logits are far apart."""
    import torch
    from transformers import CONFIG_MAPPING, AutoModelForCausalLM

    torch.manual_seed(5)
    config = CONFIG_MAPPING[family](
        vocab_size=vocabulary, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=positions, initializer_range=0.3, bos_token_id=1,
        eos_token_id=2, pad_token_id=0, **MORE.get(family, {}),
    )  # fmt: skip
    return AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()


def save_guard(folder: Path, family: str, chat_template: str | None, positions: int = 8192) -> Path:
    """Write a tiny guard and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    made = tokenizer(chat_template)
    made.save_pretrained(folder)
    model(family, len(made), positions).save_pretrained(folder)
    return folder


def build_guard(
    folder: Path, preset: str | None = None, cache: ResponseCache | None = None, **options: Any
) -> generative_guard.GenerativeGuardRater:
    """Return a rater on a tiny guard; random weights seldom mean an answer, so no mass is asked for."""
    chosen = {"model": str(folder), "least_mass": 0.0, **({"preset": preset} if preset else {}), **options}
    if preset and "prompt_file" not in options:
        chosen |= words_for(preset, folder.parent)
    read = validate(chosen, GenerativeGuardOptions, "recipe")
    return generative_guard.build("guard", read, Workbench(RTP_LX, lambda splits: [], cache))


def words_for(preset: str, folder: Path) -> dict[str, str]:
    """Write what a user has to bring for a preset, if anything, and return the option that names it."""
    published = validate({"preset": preset, "model": "x"}, GenerativeGuardOptions, "recipe").published
    if published is None:
        return {}
    path = folder / f"{published.form}.txt"
    path.write_text(WORDS[published.form], encoding="utf-8")
    return {"prompt_file": str(path)}


def item(number: int, text: str, *before: str, role: Role = Role.PROMPT) -> Item:
    """Return an item, behind turns that alternate from the user's on."""
    turns = tuple(Message(("user", "assistant")[i % 2], said) for i, said in enumerate(before))
    return Item(f"i/{number}", text, "en", "made", f"i/{number}", role=role, messages=turns)
