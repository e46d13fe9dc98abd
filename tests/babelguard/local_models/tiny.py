"""Randomly initialised models of two layers, and tokenizers of a few hundred tokens, made in the test itself."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from babelguard.local_models.loading import LoadedModel

CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|{{ message.role }}|>\n{{ message.content | trim }}<|end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
FAMILIES = {
    "llama": {},
    "gemma": {"head_dim": 8},
    "gemma2": {"head_dim": 8, "sliding_window": 16, "layer_types": ["sliding_attention", "full_attention"]},
    "gemma3_text": {"head_dim": 8, "sliding_window": 16, "layer_types": ["sliding_attention", "full_attention"]},
    "mistral": {"sliding_window": 24},
    "mixtral": {"num_local_experts": 2, "num_experts_per_tok": 1},
    "ministral3": {"head_dim": 8},
    "qwen2": {},
    "qwen3": {"head_dim": 8},
    "phi3": {"pad_token_id": 0},
    "granite": {},
    "llama4_text": {"attention_chunk_size": 64, "intermediate_size_mlp": 48, "num_local_experts": 2, "head_dim": 8},
    "gpt_oss": {"num_local_experts": 2, "num_experts_per_tok": 1, "head_dim": 8, "sliding_window": 16},
}
"""Model type -> what its configuration needs beside the common sizes; windows are shorter than the tests' prompts."""


@cache
def tokenizer(*, spaces: str = "apart", chat: bool = True, more: tuple[str, ...] = ()) -> Any:
    """Return a tokenizer of bytes.

    Args:
        spaces: "apart" makes " 1" two tokens, "joined" makes it one.
        chat: Whether it has a chat template.
        more: Further tokens.
    """
    pytest.importorskip(
        "transformers", reason="local models need torch and transformers: pip install 'babelguard[judges]'"
    )
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    joined = [f"Ġ{digit}" for digit in "12345"] if spaces == "joined" else []
    vocabulary = {token: number for number, token in enumerate(["<pad>", "<s>", "</s>", *letters, *joined, *more])}
    merges = [(token[0], token[1:]) for token in (*joined, *more)]
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(token, special=True) for token in ("<pad>", "<s>", "</s>")])
    made.add_special_tokens(
        [AddedToken(token, special=True) for token in ("<|user|>", "<|assistant|>", "<|system|>", "<|end|>")]
    )
    made.add_tokens([AddedToken("<think>", special=False), AddedToken("</think>", special=False)])
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", pad_token="<pad>", name_or_path="tiny"
    )
    if chat:
        wrapped.chat_template = CHAT_TEMPLATE
    return wrapped


def tiny_model(family: str, vocabulary: int = 300, seed: int = 0) -> Any:
    """Return a model of two layers, 32 wide, whose logits are far apart."""
    torch = pytest.importorskip(
        "torch", reason="local models need torch and transformers: pip install 'babelguard[judges]'"
    )
    from transformers import CONFIG_MAPPING, AutoModelForCausalLM

    torch.manual_seed(seed)
    sizes = {
        "vocab_size": vocabulary,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 4096,
        "initializer_range": 0.3,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 0,
    }
    config = CONFIG_MAPPING[family](**{**sizes, **FAMILIES[family]})
    return AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()


def loaded(family: str = "llama", **options: Any) -> LoadedModel:
    """Return a tiny model with its tokenizer."""
    made = tokenizer(**options)
    return LoadedModel(f"tiny-{family}", tiny_model(family, len(made)), made)
