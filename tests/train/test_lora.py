"""LoRA targets per architecture, and what an adapter does not fit."""

from __future__ import annotations

from typing import Any

import pytest

from babelguard.errors import UserError
from train.lora import LoraOptions, add_lora, find_targets, four_bit_weights

pytestmark = pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning")

SIZES = {"vocab_size": 48, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2}
ATTENTION = {
    "bert": {"query", "key", "value", "dense"},
    "xlm-roberta": {"query", "key", "value", "dense"},
    "deberta-v2": {"query_proj", "key_proj", "value_proj", "dense"},
    "modernbert": {"Wqkv", "Wo"},
    "llama": {"q_proj", "k_proj", "v_proj", "o_proj"},
    "qwen3": {"q_proj", "k_proj", "v_proj", "o_proj"},
    "gemma3_text": {"q_proj", "k_proj", "v_proj", "o_proj"},
    "gpt2": {"c_attn", "c_proj"},
}
FEED_FORWARD = {
    "bert": {"dense"},
    "xlm-roberta": {"dense"},
    "deberta-v2": {"dense"},
    "modernbert": {"Wi", "Wo"},
    "llama": {"gate_proj", "up_proj", "down_proj"},
    "qwen3": {"gate_proj", "up_proj", "down_proj"},
    "gemma3_text": {"gate_proj", "up_proj", "down_proj"},
    "gpt2": {"c_fc", "c_proj"},
}
"""Architecture -> the matrices that its authors' code names in attention and feed-forward blocks."""


def model_of(family: str) -> Any:
    from transformers import CONFIG_MAPPING, AutoModel

    sizes = dict(SIZES)
    if family in ("llama", "qwen3", "gemma3_text"):
        sizes |= {"num_key_value_heads": 1, "head_dim": 8}
    if family == "gpt2":
        sizes = {"vocab_size": 48, "n_embd": 16, "n_layer": 2, "n_head": 2}
    return AutoModel.from_config(CONFIG_MAPPING[family](**sizes, **TOKENS))


def last_parts(names: list[str]) -> set[str]:
    return {name.rsplit(".", 1)[-1] for name in names}


@pytest.mark.parametrize("family", ATTENTION)
def test_the_matrices_of_each_architecture_are_found(family: str) -> None:
    model = model_of(family)
    assert last_parts(find_targets(model, "attention")) == ATTENTION[family]
    everything = find_targets(model, "all")
    assert last_parts(everything) == ATTENTION[family] | FEED_FORWARD[family]
    assert not any("pooler" in name or "embed" in name or "head" in name for name in everything)


def test_names_choose_matrices_and_an_unknown_one_names_the_nearest() -> None:
    model = model_of("llama")
    assert find_targets(model, ["v_proj"]) == [f"layers.{n}.self_attn.v_proj" for n in (0, 1)]
    with pytest.raises(
        UserError, match=r"LlamaModel has no module 'v_prj'\. Did you mean 'v_proj'\? Its layers have: down_proj"
    ):
        find_targets(model, ["q_proj", "v_prj"])


@pytest.mark.parametrize("variant", [{}, {"rslora": True}, {"dora": True}])
def test_only_the_adapter_and_what_is_saved_with_it_learn(variant: dict[str, bool]) -> None:
    import torch

    class WithHead(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.backbone = model_of("bert")
            self.head = torch.nn.Linear(16, 3)

    adapted = add_lora(WithHead(), LoraOptions(rank=2, **variant), modules_to_save=["head"])
    learning = [name for name, weight in adapted.named_parameters() if weight.requires_grad]
    assert learning
    assert all("lora_" in name or "modules_to_save" in name for name in learning)
    assert any("modules_to_save" in name for name in learning)


def test_rank_stabilised_scaling_divides_by_the_root_of_the_rank() -> None:
    for rslora, expected in ((False, 8 / 4), (True, 8 / 2)):
        adapted = add_lora(model_of("llama"), LoraOptions(rank=4, alpha=8, rslora=rslora))
        layer = adapted.get_base_model().layers[0].self_attn.q_proj
        assert layer.scaling["default"] == pytest.approx(expected)


def test_four_bits_without_a_gpu_are_told() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    assert four_bit_weights(LoraOptions(), torch.float32) is None
    with pytest.raises(UserError, match=r"needs a CUDA device, and this machine has none; set lora\.four_bit=false"):
        four_bit_weights(LoraOptions(four_bit=True), torch.float32)
