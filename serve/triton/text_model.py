"""The text model of a Triton repository: a guard whose engine is the ONNX model beside it.

Triton loads this file by itself, as `1/model.py` of the model; it needs babelguard[cpu] in the python backend's
environment. TEXT holds UTF-8, LANGUAGE a language code or nothing, RATING a JSON object a text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils  # type: ignore[import-not-found]  # Triton puts it on the path

from serve.batches import pad
from serve.bundle import MANIFEST, Bundle, read_manifest
from serve.guard import Guard


class TritonPythonModel:
    """What Triton's python backend calls."""

    def initialize(self, args: dict[str, str]) -> None:
        """Read tokenizer and guard.json, which lie beside this file."""
        parameters = json.loads(args["model_config"])["parameters"]
        folder = Path(args["model_repository"]) / args["model_version"]
        manifest = read_manifest(folder / MANIFEST)
        engine = LogitsModel(
            name=parameters["logits_model"]["string_value"],
            batch_windows=int(parameters["batch_windows"]["string_value"]),
            padding=manifest.model.pad_token_id,
            columns=len(manifest.columns),
        )
        self._guard = Guard(Bundle(folder, manifest, digest=""), engine, "triton")  # type: ignore[arg-type]

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        """Rate the texts of several requests together."""
        texts = [_strings(pb_utils.get_input_tensor_by_name(request, "TEXT")) for request in requests]
        languages = [_strings(pb_utils.get_input_tensor_by_name(request, "LANGUAGE")) for request in requests]
        spoken = [
            (given[place] or None) if place < len(given) else None
            for own, given in zip(texts, languages, strict=True)
            for place in range(len(own))
        ]
        try:
            ratings = iter(self._guard.rate([text for own in texts for text in own], spoken))
        except pb_utils.TritonModelException as error:
            return [pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error))) for _ in requests]
        return [_response([next(ratings) for _ in own]) for own in texts]


class LogitsModel:
    """Triton's ONNX model in the place of a guard's engine."""

    def __init__(self, name: str, batch_windows: int, padding: int, columns: int) -> None:
        self._name = name
        self._batch_windows = batch_windows
        self._padding = padding
        self._columns = columns

    def score(self, windows: Sequence[Any]) -> Any:  # noqa: ANN401 - an array [windows, columns]
        """Run windows, [windows, columns], neighbours in length together."""
        result = np.empty((len(windows), self._columns), dtype=np.float32)
        order = sorted(range(len(windows)), key=lambda place: len(windows[place]))
        for start in range(0, len(order), self._batch_windows):
            places = order[start : start + self._batch_windows]
            ids, mask = pad([windows[place] for place in places], self._padding)
            asked = pb_utils.InferenceRequest(
                model_name=self._name,
                requested_output_names=["logits"],
                inputs=[pb_utils.Tensor("input_ids", ids), pb_utils.Tensor("attention_mask", mask)],
            )
            answered = asked.exec()
            if answered.has_error():
                raise pb_utils.TritonModelException(answered.error().message())
            result[places] = pb_utils.get_output_tensor_by_name(answered, "logits").as_numpy()
        return result


def _response(ratings: Sequence[Any]) -> Any:  # noqa: ANN401 - Triton's types
    rows = [[json.dumps(asdict(rating)).encode()] for rating in ratings]
    tensor = pb_utils.Tensor("RATING", np.array(rows, dtype=np.object_))
    return pb_utils.InferenceResponse(output_tensors=[tensor])


def _strings(tensor: Any) -> list[str]:  # noqa: ANN401 - Triton's types
    if tensor is None:
        return []
    return [each.decode("utf-8", "replace") for each in tensor.as_numpy().reshape(-1)]
