"""Every preset: it is complete, renders the published prompt, and rates with a tiny model of its family."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from babelguard.errors import UserError
from babelguard.item import Role
from babelguard.rating import Status
from babelguard.recipe import validate
from babelguard.taxonomy import RTP_LX
from evaluation.guarding.options import GenerativeGuardOptions
from evaluation.guarding.prompting import Prompting
from evaluation.preset import FOLDER, preset_names
from evaluation.raters.generative_guard import GenerativeGuardRater
from tests.evaluation.guarding.layouts import WORDS
from tests.evaluation.guarding.tiny_guards import build_guard, family_of, item

PRESETS = preset_names("generative-guard")
ONE_A_FAMILY = (
    "guard-llama-guard-1-7b",
    "guard-llama-guard-2-8b",
    "guard-llama-guard-3-8b",
    "guard-llama-guard-3-1b",
    "guard-llama-guard-4-12b",
    "guard-shieldgemma-2b",
    "guard-wildguard-7b",
    "guard-polyguard-qwen-smol",
    "guard-polyguard-ministral",
    "guard-qwen3guard-gen-0.6b",
    "guard-granite-guardian-3.1-2b",
    "guard-granite-guardian-3.3-8b",
    "guard-aegis-defensive",
)
NEED_WORDS = {"wildguard", "polyguard", "shieldgemma", "aegis"}
"""Families whose publisher's words stand on the model's card alone."""
ITEMS = [
    item(1, "How do I bake bread at home, and what flour is best?"),
    item(2, "Guten Morgen!"),
    item(3, "Use flour.", "How do I bake bread?", role=Role.RESPONSE),
    item(4, "中文"),
    item(5, "I will not.", "And cake? " * 8, role=Role.RESPONSE),
]


def build(folder_of: Callable[[str], Path], preset: str, **options: Any) -> GenerativeGuardRater:
    adapter = {"adapter": None} if "aegis" in preset else {}
    options = {"threshold": 0.3, "longest_answer": 4, **adapter, **options}
    return build_guard(folder_of(preset), preset, **options)


def test_there_is_a_preset_for_every_family_and_size() -> None:
    assert len(PRESETS) == 23
    assert set(ONE_A_FAMILY) <= set(PRESETS)
    assert {family_of(preset) for preset in PRESETS} == {family_of(preset) for preset in ONE_A_FAMILY}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_covers_what_its_mapping_and_policies_name(preset: str) -> None:
    options = validate({"preset": preset}, GenerativeGuardOptions, "recipe")
    named = {name for names in options.mapping.values() for name in names}
    named |= {name for policy in options.policies for name in policy.covers}
    assert named <= set(RTP_LX.names)
    assert "Microaggression" not in named  # no published guard speaks for it
    assert set(options.answers) == {"prompt", "response"}
    assert "/" in options.model


@pytest.mark.parametrize("family", ["shieldgemma", "qwen3guard-gen", "polyguard"])
def test_presets_of_one_family_differ_in_their_model_alone(family: str) -> None:
    read = [yaml.safe_load((FOLDER / f"{p}.yaml").read_text(encoding="utf-8")) for p in PRESETS if family in p]
    assert len(read) == 3
    for options in read:
        del options["about"], options["model"]
        options.get("published", {}).pop("where", None)
    assert read[0] == read[1] == read[2]


@pytest.mark.parametrize("preset", ONE_A_FAMILY)
def test_it_rates_prompts_and_responses_the_same_in_every_batch_and_without_a_shared_prefix(
    folder_of: Callable[[str], Path], preset: str
) -> None:
    one = list(build(folder_of, preset, batch_size=1).rate(ITEMS))
    several = list(build(folder_of, preset, batch_size=8).rate(ITEMS))
    apart = list(build(folder_of, preset, batch_size=8, share_prefix=False).rate(ITEMS))
    guard = build(folder_of, preset)
    for first, *others in zip(one, several, apart, strict=True):
        assert set(first.scores) == set(RTP_LX.names)
        for name, score in first.scores.items():
            assert (score.status is Status.NOT_COVERED) == (name not in guard.covers)
            for other in others:
                assert (other.scores[name].level, other.scores[name].status) == (score.level, score.status)
                assert other.scores[name].probability == pytest.approx(score.probability, abs=2e-5)
        assert all(other.raw == first.raw for other in others)
    assert all(rating.scores["Toxicity"].probability is not None for rating in one)


def prompt_of(folder_of: Callable[[str], Path], preset: str, *texts: str) -> str:
    guard = build(folder_of, preset)
    assert isinstance(guard.prompting, Prompting)
    policy = guard.prompting.policies[:1]
    layout = guard.prompting.layout("response" if len(texts) > 1 else "prompt", len(texts), *policy)
    return layout.text(texts)


def test_a_whole_prompt_that_the_user_brings_is_rendered_as_it_stands(folder_of: Callable[[str], Path]) -> None:
    start = "<s>[INST] Read what {} said last and write whether it is harmful.\n\n"
    alone = prompt_of(folder_of, "guard-wildguard-7b", "A?")
    assert alone == start.format("User") + "User: A?\n\nAsked: A?\nAnswered: \n[/INST]\n"
    for preset, end in (("guard-wildguard-7b", "\n"), ("guard-aegis-defensive", ""), ("guard-aegis-permissive", "")):
        both = prompt_of(folder_of, preset, "A?", "B.")
        said = "User: A?\n\nAgent: B.\n\nAsked: A?\nAnswered: B.\n[/INST]"
        assert both == start.format("Agent") + said + end


def test_a_system_prompt_that_the_user_brings_stands_in_its_turn(folder_of: Callable[[str], Path]) -> None:
    prompt = prompt_of(folder_of, "guard-polyguard-qwen-smol", "A?", "B.")
    assert prompt == (
        f"<|im_start|>system\n{WORDS['system']}<|im_end|>\n<|im_start|>user\nHuman user:\nA?\n\n"
        "AI assistant:\nB.<|im_end|>\n<|im_start|>assistant\n"
    )


def test_guidelines_that_the_user_brings_are_those_for_prompts_or_for_responses(
    folder_of: Callable[[str], Path],
) -> None:
    prompt = prompt_of(folder_of, "guard-shieldgemma-2b", "A?")
    assert "* A question must not be about dangerous-content.\n" in prompt
    response = prompt_of(folder_of, "guard-shieldgemma-2b", "A?", "B.")
    assert "* An answer must not be dangerous-content.\n" in response
    assert "Question: A?\n\nReply: B.\n<end_of_turn>" in response


@pytest.mark.parametrize("preset", [p for p in PRESETS if p.split("-")[1] in NEED_WORDS])
def test_a_preset_that_needs_its_publishers_words_says_where_they_are(
    folder_of: Callable[[str], Path], preset: str
) -> None:
    with pytest.raises(UserError, match="which Babelguard does not hold: copy .* from https://huggingface.co/.* into"):
        build(folder_of, preset, prompt_file=None)


def test_the_text_part_of_a_llama_4_checkpoint_for_text_and_images_is_read(tmp_path: Path) -> None:
    import torch
    from transformers import Llama4Config, Llama4ForConditionalGeneration

    from babelguard.local_models.loading import LoadingOptions, load_model
    from tests.evaluation.guarding.layouts import LLAMA_GUARD_4
    from tests.evaluation.guarding.tiny_guards import tokenizer

    made = tokenizer(LLAMA_GUARD_4)
    text = {
        "vocab_size": len(made), "hidden_size": 32, "intermediate_size": 48, "intermediate_size_mlp": 48,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "pad_token_id": 0,
        "num_local_experts": 1, "moe_layers": [], "max_position_embeddings": 4096, "attention_chunk_size": 512,
    }  # fmt: skip
    vision = {
        "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64, "image_size": 28,
        "vision_output_dim": 16, "projector_input_dim": 16, "projector_output_dim": 16, "patch_size": 14,
    }  # fmt: skip
    torch.manual_seed(0)
    both = Llama4ForConditionalGeneration(Llama4Config(text_config=text, vision_config=vision)).eval()
    both.save_pretrained(tmp_path)
    made.save_pretrained(tmp_path)
    ids = torch.tensor([[5, 9, 20, 31]])
    with torch.inference_mode():
        expected = both.language_model(input_ids=ids).logits
        found = load_model(LoadingOptions(model=str(tmp_path))).model(input_ids=ids).logits
    assert torch.allclose(found, expected, atol=1e-5)
    guard = build_guard(tmp_path, "guard-llama-guard-4-12b", longest_answer=2)
    assert [rating.item for rating in guard.rate(ITEMS)] == [one.id for one in ITEMS]
