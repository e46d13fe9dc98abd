"""The shared beginning changes nothing: not the levels, not the probabilities, not the words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from babelguard.errors import UserError
from babelguard.generator import Decoding, Prompt
from babelguard.item import Message
from babelguard.local_models.choosing import ChoiceLine, Failure
from babelguard.local_models.loading import LoadedModel
from babelguard.local_models.local_model import LocalModel
from tests.babelguard.local_models.tiny import FAMILIES, loaded

pytest.importorskip("torch", reason="local models need torch and transformers: pip install 'babelguard[judges]'")

HEAD = "Rate the text on these scales and answer with levels only, please. " * 2
TEXTS = ("Hello", "", "a longer one, " * 9, "ok", "zzz", "日本語のテキスト", "x" * 50, "one more", "y")
PROMPTS = tuple(Prompt(messages=(Message("user", f"{HEAD}\n| {text}\nLevels:"),)) for text in TEXTS)
LINES = (
    ChoiceLine("Toxicity:", (" 1", " 2", " 3", " 4", " 5")),
    ChoiceLine("\nInsult:", (" 1", " 2", " 3")),
    ChoiceLine("\nBias:", (" 1", " 2", " 3")),
)


def score_plainly(model: LoadedModel, prompt: Sequence[int], spaces: str) -> list[tuple[int, list[float]]]:
    """Score one prompt with one whole forward pass a line: no cache, no batch, no mask."""
    import torch

    ids, answer = list(prompt), []
    for line in LINES:
        text = line.label + (" " if spaces == "apart" else "")
        ids += model.tokenizer.encode(text, add_special_tokens=False)
        digits = [choice.strip() if spaces == "apart" else choice for choice in line.choices]
        levels = [model.tokenizer.encode(digit, add_special_tokens=False) for digit in digits]
        assert all(len(level) == 1 for level in levels)
        with torch.no_grad():
            logits = model.model(input_ids=torch.tensor([ids]), use_cache=False).logits[0, -1]
        chances = torch.log_softmax(logits[[level[0] for level in levels]], dim=-1).tolist()
        best = max(range(len(chances)), key=chances.__getitem__)
        answer.append((best, chances))
        ids += levels[best]
    return answer


@pytest.mark.parametrize("spaces", ["apart", "joined"])
@pytest.mark.parametrize("family", FAMILIES)
def test_scores_are_those_of_plain_passes(family: str, spaces: str) -> None:
    model = loaded(family, spaces=spaces)
    for share, batch_size in ((True, 1), (True, 8), (False, 1), (False, 8)):
        local = LocalModel(model, batch_size=batch_size, share_prefix=share)
        answers = list(local.choose(PROMPTS, LINES))
        for prompt, answer in zip(PROMPTS, answers, strict=True):
            assert not isinstance(answer, Failure)
            for choice, (best, chances) in zip(answer, score_plainly(model, local.encode(prompt), spaces), strict=True):
                assert choice.index == best
                assert choice.log_probabilities == pytest.approx(chances, abs=1e-3)


@pytest.mark.parametrize("family", ["llama", "gemma3_text", "gpt_oss"])
def test_written_answers_are_those_of_transformers(family: str) -> None:
    import torch

    model = loaded(family)
    expected = []
    for prompt in PROMPTS:
        ids = LocalModel(model).encode(prompt)
        with torch.no_grad():
            out = model.model.generate(
                torch.tensor([ids]), attention_mask=torch.ones(1, len(ids)), max_new_tokens=12, do_sample=False
            )
        expected.append(model.tokenizer.decode(out[0, len(ids) :], skip_special_tokens=True))
    for share, batch_size in ((True, 1), (True, 8), (False, 8)):
        local = LocalModel(model, batch_size=batch_size, share_prefix=share)
        written = list(local.generate(PROMPTS, Decoding(max_new_tokens=12)))
        assert [generation.text for generation in written] == expected


def test_the_beginning_is_computed_once_and_stands_in_memory_once() -> None:
    local = LocalModel(loaded(), batch_size=4)
    list(local.choose(PROMPTS, LINES))
    width = held_by(local)
    list(local.choose(PROMPTS * 5, LINES))
    list(local.generate(PROMPTS * 2, Decoding(max_new_tokens=3)))
    assert local.prefixes.computed == 1
    shared = len(local.prefixes.stored[0].ids)
    assert shared > len(HEAD)  # tokens are bytes
    assert held_by(local) <= 2 * width
    layer = local._states.layers[0]  # type: ignore[union-attr]
    assert layer.keys.shape[0] == 1
    assert layer.prefix == shared
    assert layer.keys.shape[2] < 2 * (shared + 4 * 200)  # room for a batch of four, grown to twice that


def held_by(local: LocalModel) -> int:
    assert local._states is not None
    return sum(layer.keys.numel() + layer.values.numel() for layer in local._states.layers.values())


def test_long_input_takes_several_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    model = loaded("gemma3_text")
    whole = list(LocalModel(model).choose(PROMPTS, LINES))
    monkeypatch.setattr("babelguard.local_models.packed._TOKENS_A_PASS", 7)
    parts = list(LocalModel(model).choose(PROMPTS, LINES))
    for one, other in zip(whole, parts, strict=True):
        assert [choice.index for choice in one] == [choice.index for choice in other]  # type: ignore[union-attr]


def test_a_prompt_beyond_the_window_fails_alone() -> None:
    long = Prompt(messages=(Message("user", "word " * 2000),))
    local = LocalModel(loaded())
    first, second, third = local.choose([PROMPTS[0], long, PROMPTS[1]], LINES)
    assert isinstance(second, Failure)
    assert "window of 4096" in second.detail
    assert not isinstance(first, Failure)
    assert not isinstance(third, Failure)
    generations = list(local.generate([PROMPTS[0], long], Decoding(max_new_tokens=2)))
    assert [generation.status for generation in generations] == ["truncated", "error"]


def test_a_batch_that_does_not_fit_is_halved_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from babelguard.local_models import packed

    model = loaded()
    expected = list(LocalModel(model).choose(PROMPTS, LINES))
    feed = packed.PackedSequences.feed

    def limited(self: Any, tokens: Sequence[Sequence[int]], numbers: Sequence[int]) -> Any:
        if len(numbers) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        if any(len(new) > 120 for new in tokens):
            raise RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory")
        return feed(self, tokens, numbers)

    monkeypatch.setattr(packed.PackedSequences, "feed", limited)
    local = LocalModel(model, batch_size=8)
    answers = list(local.choose(PROMPTS, LINES))
    assert len(answers) == len(PROMPTS)
    for text, answer, before in zip(TEXTS, answers, expected, strict=True):
        if len(text) > 90:
            assert answer == Failure("does not fit into memory even alone")
        else:
            assert [c.index for c in answer] == [c.index for c in before]  # type: ignore[union-attr]
    assert local.batch_size <= 2


def test_a_model_that_cannot_share_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from babelguard.local_models.packed import LayerKinds

    monkeypatch.setattr(LayerKinds, "visible", lambda self, kind, query, key: key[None, :] > query[:, None] - 3)
    with pytest.raises(UserError, match="share_prefix: false"):
        list(LocalModel(loaded()).choose(PROMPTS, LINES))


def test_other_errors_are_not_taken_for_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    from babelguard.local_models import packed

    def broken(*_: object) -> None:
        raise RuntimeError("shapes do not match")

    monkeypatch.setattr(packed.PackedSequences, "feed", broken)
    with pytest.raises(RuntimeError, match="shapes"):
        list(LocalModel(loaded()).choose(PROMPTS, LINES))


def test_sampling_does_not_depend_on_the_neighbours() -> None:
    decoding = Decoding(max_new_tokens=8, temperature=1.0, seed=3)
    model = loaded()
    together = [g.text for g in LocalModel(model, batch_size=8).generate(PROMPTS, decoding)]
    alone = [g.text for g in LocalModel(model, batch_size=1).generate(PROMPTS, decoding)]
    assert together == alone
    other = [g.text for g in LocalModel(model).generate(PROMPTS, Decoding(8, 1.0, seed=4))]
    assert other != together
