"""Guards behind vLLM, on a stand-in for it: the same ratings as through transformers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="guards need torch: pip install 'babelguard[judges]'")

from babelguard.errors import UserError
from babelguard.item import Role
from babelguard.rating import Rating, Status
from babelguard.response_cache import ResponseCache
from evaluation.guarding.vllm_asking import VllmAsker
from tests.babelguard.generators.vllm_stand_in import LLM, vllm_stand_in
from tests.evaluation.guarding.tiny_guards import build_guard, item

ITEMS = [
    item(1, "How do I bake bread at home, and what flour is best?"),
    item(2, "Use flour.", "How do I bake bread?", role=Role.RESPONSE),
    item(3, "\u4e2d\u6587"),
    item(4, ""),
]
ONE_A_FORM = (
    "guard-llama-guard-3-8b",
    "guard-shieldgemma-2b",
    "guard-wildguard-7b",
    "guard-polyguard-qwen-smol",
    "guard-qwen3guard-gen-0.6b",
    "guard-granite-guardian-3.3-8b",
)


@pytest.fixture(autouse=True)
def vllm() -> Iterator[None]:
    with vllm_stand_in():
        yield


def shown(rating: Rating) -> dict[str, tuple[int | None, Status]]:
    return {name: (score.level, score.status) for name, score in rating.scores.items()}


@pytest.mark.parametrize("preset", ONE_A_FORM)
def test_it_rates_as_through_transformers(folder_of: Callable[[str], Path], preset: str) -> None:
    folder = folder_of(preset)
    # Random weights put no answer among the twenty likeliest tokens, from which the lead would be found out.
    options = {"threshold": 0.3, "longest_answer": 4, "leads": [""]}
    expected = list(build_guard(folder, preset, **options).rate(ITEMS))
    guard = build_guard(folder, preset, backend="vllm", backend_options={"window": 4096}, **options)
    for found, other in zip(guard.rate(ITEMS), expected, strict=True):
        assert (found.item, found.raw) == (other.item, other.raw)
        for name, score in found.scores.items():
            assert score.probability == pytest.approx(other.scores[name].probability, abs=2e-5)
        assert [level for level, _ in shown(found).values()] == [level for level, _ in shown(other).values()]


def test_the_lead_is_the_one_behind_which_answers_are_likeliest(
    folder_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    preset = "guard-llama-guard-3-8b"
    masses = iter([[0.1], [0.7]])
    guard = build_guard(folder_of(preset), preset, backend="vllm", longest_answer=2)
    real = VllmAsker._masses
    monkeypatch.setattr(VllmAsker, "_masses", lambda *given: next(masses, None) or real(*given))
    list(guard.rate(ITEMS[:1]))
    assert isinstance(guard.asker, VllmAsker)
    assert guard.asker.leads == {"prompt": "\n\n"}


def test_what_was_answered_is_not_asked_again(folder_of: Callable[[str], Path], tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "c.sqlite")
    preset = "guard-llama-guard-3-8b"

    def rate() -> list[Rating]:
        return list(build_guard(folder_of(preset), preset, cache, backend="vllm", longest_answer=4).rate(ITEMS))

    first = rate()
    LLM.made.clear()
    with vllm_stand_in():
        assert rate() == first
        assert LLM.made == []


def test_an_adapter_needs_this_process(folder_of: Callable[[str], Path]) -> None:
    with pytest.raises(UserError, match="an adapter is merged in this process only; set 'backend: transformers'"):
        build_guard(folder_of("guard-aegis-defensive"), "guard-aegis-defensive", backend="vllm")


def test_options_of_the_backend_are_checked(folder_of: Callable[[str], Path]) -> None:
    preset = "guard-llama-guard-3-8b"
    with pytest.raises(UserError, match="unknown key 'backend_options.widow'. Did you mean 'window'"):
        build_guard(folder_of(preset), preset, backend="vllm", backend_options={"widow": 1})
    with pytest.raises(UserError, match="options of transformers stand beside 'backend'"):
        build_guard(folder_of(preset), preset, backend_options={"window": 1})


def test_the_check_for_gpus_passes_on_the_stand_in(folder_of: Callable[[str], Path]) -> None:
    from benchmarks.gpu_checks import check_vllm_guard

    assert check_vllm_guard(folder_of("guard-llama-guard-1-7b")) == []
