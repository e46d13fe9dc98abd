"""The engine: what it computes, how it is set up, and what it says when something is not there."""

from __future__ import annotations

import os
import sys
from importlib.metadata import Distribution
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnxruntime
import pytest

import serve.engine
from babelguard import UserError
from serve.engine import Engine, EngineOptions, choose_providers, warn_of_both_runtimes
from tests.tiny_bundle import make_tiny_bundle, tiny_weights, write_tiny_tokenizer

COLUMNS = 18


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_bundle(tmp_path_factory.mktemp("bundle")) / "model.fp32.onnx"


def engine(model: Path, **options) -> Engine:
    return Engine(model, columns=COLUMNS, padding=0, options=EngineOptions(**options))


@pytest.mark.parametrize("tuning", ["latency", "throughput"])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("batch_tokens", [1, 20, 1024])
def test_logits_are_those_of_the_formula(
    model: Path, tmp_path: Path, tuning: str, threads: int, batch_tokens: int
) -> None:
    embeddings, weights, bias = tiny_weights(write_tiny_tokenizer(tmp_path / "t.json"), COLUMNS)
    random = np.random.default_rng(1)
    windows = [random.integers(0, 300, length) for length in (3, 9, 1, 9, 4, 30, 2)]
    expected = np.stack([embeddings[ids].mean(axis=0) @ weights + bias for ids in windows])
    scored = engine(model, tuning=tuning, threads=threads, batch_tokens=batch_tokens).score(windows)
    assert scored.dtype == np.float32
    np.testing.assert_allclose(scored, expected, atol=1e-5)


def test_a_batch_that_does_not_fit_into_memory_is_halved(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine(model, threads=1)
    windows = [np.arange(3, 3 + n) for n in range(1, 8)]
    expected, run, sizes = made.score(windows), made.run, []

    def small(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        sizes.append(len(ids))
        if len(ids) > 2:
            raise RuntimeError("BFCArena: Failed to allocate memory for requested buffer of size 9")
        return run(ids, mask)

    monkeypatch.setattr(made, "run", small)
    np.testing.assert_allclose(made.score(windows), expected, atol=1e-5)
    assert sizes == [7, 3, 1, 2, 4, 2, 2]
    monkeypatch.setattr(made, "run", lambda ids, mask: (_ for _ in ()).throw(RuntimeError("something else")))
    with pytest.raises(RuntimeError, match="something else"):
        made.score(windows)


def test_no_windows_have_no_logits(model: Path) -> None:
    assert engine(model).score([]).shape == (0, COLUMNS)


def test_threads_and_workers(model: Path) -> None:
    everything = len(os.sched_getaffinity(0))
    assert engine(model).threads == everything
    assert engine(model, threads=3).workers == 3
    assert engine(model, threads=3, tuning="latency").workers == 1


@pytest.mark.parametrize(
    ("option", "value"), [("threads", -1), ("threads", 0), ("batch_tokens", 0), ("batch_tokens", -5)]
)
def test_what_an_engine_needs_one_of_at_least(model: Path, option: str, value: int) -> None:
    with pytest.raises(UserError, match=f"{option} is {value}"):
        engine(model, **{option: value})


def test_it_says_what_it_runs_on(model: Path) -> None:
    made = engine(model, provider="cpu", threads=2)
    assert made.providers == ("CPUExecutionProvider",)
    assert made.provider == "cpu"
    assert str(made) == (
        f"onnxruntime {onnxruntime.__version__} on cpu, 2 threads, tuned for throughput, batches of 512 tokens"
    )


def test_providers_are_tried_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu, cuda, tensorrt = "CPUExecutionProvider", "CUDAExecutionProvider", "TensorrtExecutionProvider"
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [tensorrt, cuda, cpu])
    assert choose_providers("auto") == [cuda, cpu]
    assert choose_providers("cuda") == [cuda, cpu]
    assert choose_providers("tensorrt") == [tensorrt, cuda, cpu]
    assert choose_providers("cpu") == [cpu]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [cpu])
    assert choose_providers("auto") == [cpu]
    with pytest.raises(UserError, match=r"cannot run on cuda; it offers CPUExecutionProvider\. .*babelguard\[gpu\]"):
        choose_providers("cuda")
    with pytest.raises(UserError, match="Unknown provider 'gpu'"):
        choose_providers("gpu")


def test_a_provider_that_does_not_start_is_told(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cpu, cuda = "CPUExecutionProvider", "CUDAExecutionProvider"
    real = onnxruntime.InferenceSession(str(model), providers=[cpu])
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [cuda, cpu])
    monkeypatch.setattr(onnxruntime, "InferenceSession", lambda *args, **kwargs: real)
    with pytest.raises(UserError, match=r"offers CUDAExecutionProvider but runs on CPUExecutionProvider"):
        engine(model, provider="cuda")
    with pytest.warns(UserWarning, match=r"offers CUDAExecutionProvider but runs on CPUExecutionProvider"):
        made = engine(model, threads=3)
    assert (made.provider, made.workers) == ("cpu", 3)


@pytest.mark.parametrize(
    ("names", "warned"),
    [(["onnxruntime", "numpy"], False), (["onnxruntime-gpu"], False), (["onnxruntime", "onnxruntime_gpu"], True)],
)
def test_both_runtimes_are_warned_of(monkeypatch: pytest.MonkeyPatch, names: list[str], warned: bool) -> None:
    def installed() -> list[Distribution]:
        return [SimpleNamespace(metadata={"Name": name}) for name in names]  # type: ignore[list-item]

    monkeypatch.setattr(serve.engine, "distributions", installed)
    if not warned:
        assert not warn_of_both_runtimes()
        return
    with pytest.warns(UserWarning, match=r"onnxruntime and onnxruntime-gpu are both installed"):
        assert warn_of_both_runtimes()


def test_without_onnxruntime_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(UserError, match=r"install babelguard\[cpu\], or babelguard\[gpu\]"):
        choose_providers("auto")


def test_a_file_that_is_no_model_is_told(tmp_path: Path) -> None:
    path = tmp_path / "model.fp32.onnx"
    path.write_bytes(b"no model")
    with pytest.raises(UserError, match=r"model.fp32.onnx is not a model that onnxruntime can run"):
        engine(path)


def test_a_model_with_other_columns_is_told(model: Path) -> None:
    with pytest.raises(UserError, match=r"gives 18 logits a text, and guard.json lists 4 columns"):
        Engine(model, columns=4, padding=0)


def test_a_model_of_another_kind_is_told(tmp_path: Path) -> None:
    import onnx
    from onnx import TensorProto, helper

    path = tmp_path / "model.fp32.onnx"
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 3]) for name in ("pixels", "scores")]
    graph = helper.make_graph([helper.make_node("Relu", ["pixels"], ["scores"])], "other", infos[:1], infos[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10), str(path))
    with pytest.raises(UserError, match=r"takes pixels and gives scores; a guard's model takes input_ids"):
        engine(path)
