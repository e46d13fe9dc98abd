"""The repository that is written, and its Python model run as Triton runs it, with onnxruntime in Triton's place."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from babelguard.errors import UserError
from serve.guard import Guard
from serve.triton.repository import TritonOptions, write_repository
from tests.tiny_bundle import make_tiny_bundle

TEXTS = ["a kind day", "awful", "", "the weather today is good " * 12 + "awful", "tea"]
LANGUAGES = ["en", "de", "", "", "de"]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return make_tiny_bundle(tmp_path / "tiny")


def read_config(path: Path) -> dict[str, Any]:
    """Read the protobuf text that we write: names, braces, lists, strings and numbers."""
    import re

    tokens = re.findall(r'"[^"]*"|[\[\]{}:]|[^\s\[\]{}:]+', re.sub(r"#[^\n]*", "", path.read_text(encoding="utf-8")))

    def value() -> Any:
        token = tokens.pop(0)
        if token == "{":
            found: dict[str, Any] = {}
            while tokens[0] != "}":
                name = tokens.pop(0)
                if tokens[0] == ":":
                    tokens.pop(0)
                found.setdefault(name, []).append(value())
            tokens.pop(0)
            return found
        if token == "[":
            items = []
            while tokens[0] != "]":
                items.append(value())
            tokens.pop(0)
            return items
        return token.strip('"')

    tokens[:0] = ["{"]
    tokens.append("}")
    return dict(value())


def test_the_configurations_name_what_the_models_have(bundle: Path, tmp_path: Path) -> None:
    names = write_repository(bundle, tmp_path / "out", TritonOptions(device="cpu", instances=2, batch_windows=8))
    assert names == ("tiny", "tiny_logits")
    logits = read_config(tmp_path / "out" / "tiny_logits" / "config.pbtxt")
    assert (logits["name"], logits["backend"], logits["max_batch_size"]) == (["tiny_logits"], ["onnxruntime"], ["8"])
    inputs = {each["name"][0]: (each["data_type"], each["dims"]) for group in logits["input"] for each in group}
    assert inputs == {name: (["TYPE_INT64"], [["-1"]]) for name in ("input_ids", "attention_mask")}
    assert logits["output"][0][0]["dims"] == [["18"]]
    assert logits["instance_group"][0][0] == {"count": ["2"], "kind": ["KIND_CPU"]}
    text = read_config(tmp_path / "out" / "tiny" / "config.pbtxt")
    assert text["backend"] == ["python"]
    assert text["input"][1][0]["optional"] == ["true"]
    parameters = {each["key"][0]: each["value"][0]["string_value"][0] for each in text["parameters"]}
    assert parameters == {"logits_model": "tiny_logits", "batch_windows": "8"}


@dataclass
class Tensor:
    name_: str
    array: Any

    def as_numpy(self) -> Any:
        return self.array


@dataclass
class Response:
    output_tensors: list[Tensor] = field(default_factory=list)
    error: Any = None


def backend(engine: Any, failing: list[bool]) -> ModuleType:
    """Return what Triton calls triton_python_backend_utils, with an engine behind it."""

    class Answered:
        def __init__(self, logits: Any) -> None:
            self.tensors = {"logits": Tensor("logits", logits)}

        def has_error(self) -> bool:
            return failing[0]

        def error(self) -> Any:
            class Message:
                @staticmethod
                def message() -> str:
                    return "out of memory"

            return Message()

    class InferenceRequest:
        def __init__(self, model_name: str, requested_output_names: list[str], inputs: list[Tensor]) -> None:
            assert (model_name, requested_output_names) == ("tiny_logits", ["logits"])
            self.inputs = {each.name_: each.array for each in inputs}

        def exec(self) -> Answered:
            assert len(self.inputs["input_ids"]) <= 3
            return Answered(engine.run(self.inputs["input_ids"], self.inputs["attention_mask"]))

    made = ModuleType("triton_python_backend_utils")
    vars(made).update(
        Tensor=Tensor,
        InferenceRequest=InferenceRequest,
        InferenceResponse=lambda output_tensors=(), error=None: Response(list(output_tensors), error),
        TritonError=str,
        TritonModelException=type("TritonModelException", (Exception,), {}),
        get_input_tensor_by_name=lambda request, name: request.get(name),
        get_output_tensor_by_name=lambda answered, name: answered.tensors[name],
    )
    return made


def test_the_text_model_gives_the_guards_ratings(bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_repository(bundle, tmp_path / "out", TritonOptions(batch_windows=3))
    guard = Guard.load(bundle, threads=1)
    failing = [False]
    monkeypatch.setitem(sys.modules, "triton_python_backend_utils", backend(guard.engine, failing))
    place = tmp_path / "out" / "tiny" / "1" / "model.py"
    spec = importlib.util.spec_from_file_location("triton_text_model", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.TritonPythonModel()
    parameters = {"logits_model": {"string_value": "tiny_logits"}, "batch_windows": {"string_value": "3"}}
    model.initialize(
        {
            "model_config": json.dumps({"parameters": parameters}),
            "model_repository": str(tmp_path / "out" / "tiny"),
            "model_version": "1",
        }
    )

    def strings(values: list[str]) -> Tensor:
        return Tensor("", np.array([[value.encode()] for value in values], dtype=np.object_))

    asked = [
        {"TEXT": strings(TEXTS[:2]), "LANGUAGE": strings(LANGUAGES[:2])},
        {"TEXT": strings(TEXTS[2:4])},
        {"TEXT": strings(TEXTS[4:]), "LANGUAGE": strings(LANGUAGES[4:])},
    ]
    answers = [json.loads(row[0]) for response in model.execute(asked) for row in response.output_tensors[0].array]
    expected = guard.rate(TEXTS, [code or None for code in LANGUAGES])
    for answer, rating in zip(answers, expected, strict=True):
        plain = json.loads(json.dumps(asdict(rating)))
        for name, values in plain.pop("probabilities").items():
            np.testing.assert_allclose(answer["probabilities"][name], values, atol=1e-6)
        assert {**answer, "probabilities": None} == {**plain, "probabilities": None}
    failing[0] = True
    assert [response.error for response in model.execute(asked)] == ["out of memory"] * 3


def test_a_repository_is_written_whole_or_not_at_all(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="fp16"):
        write_repository(bundle, tmp_path / "out", TritonOptions(precision="fp16"))
    assert not (tmp_path / "out").exists()
    write_repository(bundle, tmp_path / "out")
    with pytest.raises(UserError, match="exists already"):
        write_repository(bundle, tmp_path / "out")
    with pytest.raises(UserError, match="device"):
        write_repository(bundle, tmp_path / "other", TritonOptions(device="tpu"))
