"""Moves outliers of activations into weights, before both become 8-bit integers.

Encoders have a few channels with activations many times larger than the others', and one scale for all of them costs
the others their digits. SmoothQuant (Xiao et al., ICML 2023) divides each channel j of a matrix's input by
s_j = max |X_j|^a / max |W_j|^(1 - a) and multiplies the matrix's row by it, which changes nothing in exact arithmetic.
The division is one further multiplication in the graph, shared by matrices with the same input.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serve.batches import pad, plan_batches
from train.exporting.graph import INPUTS
from train.exporting.surgery import drop_unused_tensors

FloatArray = NDArray[np.float32]
_SMALLEST = 1e-5


def largest_activations(
    model: Any,  # noqa: ANN401 - an onnx.ModelProto
    nodes: Collection[str],
    windows: Sequence[NDArray[np.int64]],
    padding: int,
) -> dict[str, FloatArray]:
    """Return the largest absolute value of every channel of the inputs of some matrices, over windows of texts.

    Args:
        model: The float32 model.
        nodes: Names of the multiplications.
        windows: Token ids.
        padding: Token id that fills batches up; its own activations count too, as they do when served.

    Returns:
        Name of the input -> [channels].
    """
    import onnx
    import onnxruntime

    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    names = sorted({node.input[0] for node in model.graph.node if node.name in nodes})
    for name in names:
        watched.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
    session = onnxruntime.InferenceSession(watched.SerializeToString(), providers=["CPUExecutionProvider"])
    found: dict[str, FloatArray] = {}
    for batch in plan_batches([len(window) for window in windows], 1024):
        ids, mask = pad([windows[place] for place in batch], padding)
        values = session.run(names, dict(zip(INPUTS, (ids, mask), strict=True)))
        for name, value in zip(names, values, strict=True):
            largest = np.abs(value).reshape(-1, value.shape[-1]).max(axis=0)
            found[name] = np.maximum(found[name], largest) if name in found else largest
    return found


def smooth(model: Any, nodes: Collection[str], activations: Mapping[str, FloatArray], strength: float) -> None:  # noqa: ANN401
    """Move outliers of activations into weights, in place.

    Args:
        model: The float32 model.
        nodes: Names of the multiplications.
        activations: Of `largest_activations`.
        strength: a, from 0 (weights stay as even as they can) to 1 (activations do).
    """
    from onnx import helper, numpy_helper

    graph = model.graph
    tables = {tensor.name: tensor for tensor in graph.initializer}
    sharing = defaultdict(list)
    for node in graph.node:
        if node.name in nodes:
            sharing[node.input[0]].append(node)
    for name, users in sharing.items():
        weights = [numpy_helper.to_array(tables[node.input[1]]) for node in users]
        rows = np.max([np.abs(weight).max(axis=1) for weight in weights], axis=0)
        scale = np.maximum(activations[name], _SMALLEST) ** strength / np.maximum(rows, _SMALLEST) ** (1 - strength)
        scale = scale.astype(np.float32)
        graph.initializer.append(numpy_helper.from_array(1 / scale, f"{name}_smoothing"))
        first = min(place for place, node in enumerate(graph.node) if node in users)
        graph.node.insert(
            first, helper.make_node("Mul", [name, f"{name}_smoothing"], [f"{name}_smooth"], f"{name}_smoothed")
        )
        for node, weight in zip(users, weights, strict=True):
            moved = numpy_helper.from_array(weight * scale[:, None], f"{node.input[1]}_smooth")
            graph.initializer.append(moved)
            node.input[1] = moved.name
            node.input[0] = f"{name}_smooth"
    drop_unused_tensors(graph)
