"""vLLM's backend against a stand-in for vLLM; the real one is tested where there is a GPU."""

from __future__ import annotations

import importlib.util
import sys
from types import SimpleNamespace

import pytest

from babelguard import UserError
from babelguard.generator import GENERATORS, Decoding, Prompt
from babelguard.item import Message
from babelguard.local_models.choosing import ChoiceLine, Failure
from babelguard.local_models.shelf import SHELF
from babelguard.rating import Status
from babelguard.recipe import validate

torch = pytest.importorskip("torch", reason="needs torch")
pytest.importorskip("transformers", reason="needs transformers")

from tests.babelguard.generators.tiny_chat import write_tiny_chat_model  # noqa: E402
from tests.babelguard.generators.vllm_stand_in import LLM, vllm_stand_in  # noqa: E402

LINES = (ChoiceLine("a:", (" 1", " 2", " 3")), ChoiceLine("\nb:", (" 1", " 2")))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tiny_chat_model(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def vllm():
    with vllm_stand_in() as module:
        yield module


def generator(folder, **options):
    kind = GENERATORS.get("vllm")
    return kind.build(validate({"model": str(folder), **options}, kind.options, "test"))


def local(folder):
    kind = GENERATORS.get("transformers")
    return kind.build(validate({"model": str(folder), "dtype": "float32"}, kind.options, "test"))


def chats(*texts):
    return [Prompt(messages=(Message("user", text),)) for text in texts]


def test_it_writes_what_transformers_writes(vllm, folder):
    prompts = [*chats("ab", "the weather is fine", "c " * 30), Prompt(text="a b c")]
    found = list(generator(folder).generate(prompts, Decoding(6)))
    expected = list(local(folder).generate(prompts, Decoding(6)))
    assert [one.text for one in found] == [one.text for one in expected]
    assert [one.prompt_tokens for one in found] == [one.prompt_tokens for one in expected]
    assert {one.status for one in found} == {Status.TRUNCATED}


def test_it_chooses_what_transformers_chooses(vllm, folder):
    prompts = chats("ab", "c", "the weather is fine today")
    found = list(generator(folder).choose(prompts, LINES))
    expected = list(local(folder).choose(prompts, LINES))
    for one, other in zip(found, expected, strict=True):
        assert [choice.index for choice in one] == [choice.index for choice in other]
        for choice, same in zip(one, other, strict=True):
            assert choice.log_probabilities == pytest.approx(same.log_probabilities, abs=1e-3)


def test_the_engine_caches_prefixes_and_is_loaded_once_and_late(vllm, folder):
    made = generator(folder, gpus=2, gpu_memory=0.5, window=128, engine={"enforce_eager": True})
    assert LLM.made == []
    list(made.generate(chats("a"), Decoding(2)))
    list(made.choose(chats("a"), LINES))
    (settings,) = LLM.made
    assert settings["enable_prefix_caching"] is True
    assert settings["logprobs_mode"] == "processed_logprobs"
    wanted = {"tensor_parallel_size": 2, "gpu_memory_utilization": 0.5, "max_model_len": 128, "enforce_eager": True}
    assert {key: settings[key] for key in wanted} == wanted
    assert settings["trust_remote_code"] is False


def test_a_prompt_that_is_too_long_costs_only_itself(vllm, folder):
    prompts = chats("a", "b " * 500, "c")
    made = generator(folder, window=64)
    found = list(made.generate(prompts, Decoding(4)))
    assert [one.status for one in found] == [Status.TRUNCATED, Status.ERROR, Status.TRUNCATED]
    assert "more than the model's window of 64" in found[1].detail
    chosen = list(made.choose(prompts, LINES))
    assert [isinstance(one, Failure) for one in chosen] == [False, True, False]
    assert next(iter(made.generate(prompts[1:2], Decoding(4)))).status is Status.ERROR
    assert list(made.choose([], LINES)) == []


def test_the_end_is_told_apart_from_the_limit_and_from_faults(vllm, folder, monkeypatch):
    made = generator(folder)
    for ends, status in (("stop", Status.OK), ("length", Status.TRUNCATED), ("abort", Status.ERROR)):
        monkeypatch.setattr(LLM, "ends", ends)
        (found,) = made.generate(chats("a"), Decoding(2))
        assert found.status is status
        assert bool(found.text) == (status is not Status.ERROR)


def test_log_probabilities_are_given_where_asked_for(vllm, folder):
    (found,) = generator(folder, top_logprobs=3).generate(chats("a"), Decoding(2))
    assert len(found.top_logprobs) == 2
    for place in found.top_logprobs:
        assert max(place.values()) == next(iter(place.values()))  # greedy: the written token is the likeliest
        assert all(value <= 0 for value in place.values())


def test_a_missing_probability_is_a_failure_and_no_guess(vllm, folder, monkeypatch):
    monkeypatch.setattr(LLM, "_logprob", lambda self, token, value: SimpleNamespace(logprob=float("-inf")))
    (found,) = generator(folder).choose(chats("a"), LINES)
    assert found == Failure("vLLM gave no probability for a choice")


def test_without_vllm_there_is_a_remedy(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "vllm", None)
    SHELF.clear()
    with pytest.raises(UserError, match=r"pip install 'babelguard\[vllm\]'"):
        list(generator(folder).generate(chats("a"), Decoding(2)))


def test_a_model_that_cannot_be_loaded_is_told(vllm, folder, monkeypatch):
    def fails(self, **settings):
        raise RuntimeError("No CUDA GPUs are available\nlong trace")

    monkeypatch.setattr(LLM, "__init__", fails)
    with pytest.raises(UserError, match=r"cannot load the model .*: No CUDA GPUs are available\. Check"):
        list(generator(folder).generate(chats("a"), Decoding(2)))


def test_the_fingerprint_holds_what_decides_the_answers(folder):
    base = generator(folder).fingerprint
    assert generator(folder, gpu_memory=0.5, gpus=2).fingerprint == base
    assert generator(folder, revision="x").fingerprint != base
    assert generator(folder, dtype="float16").fingerprint != base


@pytest.mark.slow
def test_the_real_vllm_agrees_with_transformers(folder):
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("needs vLLM, which is not installed")
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA GPU")
    from benchmarks.gpu_checks import check_vllm

    assert check_vllm(folder) == []
