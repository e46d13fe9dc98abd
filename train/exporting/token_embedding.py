"""The token embedding in an ONNX graph: found, cut to fewer rows, and stored in 8 bits by row."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from train.exporting.graph import INPUTS

_PASSING: Final = {"Cast", "Identity", "Reshape", "Unsqueeze", "Squeeze"}


def find_embedding(graph: Any, rows: int) -> Any:  # noqa: ANN401 - onnx messages
    """Return the Gather node that looks tokens up: its indices are the `input_ids`, its table has `rows` rows or more.

    Raises:
        UserError: There is none, or several.
    """
    tables = {tensor.name: tensor for tensor in graph.initializer}
    sources = {INPUTS[0]}
    found = []
    for node in graph.node:
        if node.op_type in _PASSING and node.input[0] in sources:
            sources.update(node.output)
        if node.op_type != "Gather" or node.input[1] not in sources:
            continue
        table = tables.get(node.input[0])
        if table is not None and len(table.dims) == 2 and table.dims[0] >= rows:
            found.append(node)
    if len({node.input[0] for node in found}) != 1:
        raise UserError(
            f"The exported graph has {len(found)} token embeddings where one was expected; "
            "set export.vocabulary.languages to all and leave int8 out for this architecture."
        )
    return found[0]


def keep_rows(model: Any, kept: NDArray[np.int64], rows: int) -> None:  # noqa: ANN401 - an onnx.ModelProto
    """Cut the token embedding to some rows, in place.

    Args:
        model: The model.
        kept: Token ids to keep; the n-th becomes id n.
        rows: Number of token ids of the tokenizer.
    """
    from onnx import numpy_helper

    name = find_embedding(model.graph, rows).input[0]
    for tensor in model.graph.initializer:
        if tensor.name == name:
            cut = np.ascontiguousarray(numpy_helper.to_array(tensor)[kept])
            tensor.CopyFrom(numpy_helper.from_array(cut, name))


def quantise_rows(model: Any, rows: int) -> None:  # noqa: ANN401 - an onnx.ModelProto
    """Store the token embedding as int8 with one scale a token, in place.

    e ~ s q with s = max |e| / 127 over the token's vector. onnxruntime's own quantisation of Gather has one scale for
    the whole table, and rare tokens with short vectors lose most of their digits to the longest one.
    """
    from onnx import TensorProto, helper, numpy_helper

    graph = model.graph
    node = find_embedding(graph, rows)
    table = next(tensor for tensor in graph.initializer if tensor.name == node.input[0])
    values = numpy_helper.to_array(table).astype(np.float32)
    scales = np.abs(values).max(axis=1, keepdims=True) / 127
    scales[scales == 0] = 1
    codes = np.clip(np.rint(values / scales), -127, 127).astype(np.int8)
    name, output = node.input[0], node.output[0]
    gathers = [each for each in graph.node if each.op_type == "Gather" and each.input[0] == name]
    for each in gathers:
        place, indices, output = list(graph.node).index(each), each.input[1], each.output[0]
        graph.node.remove(each)
        made = [
            helper.make_node("Gather", [f"{name}_int8", indices], [f"{output}_codes"], f"{output}_codes", axis=0),
            helper.make_node("Cast", [f"{output}_codes"], [f"{output}_float"], f"{output}_float", to=TensorProto.FLOAT),
            helper.make_node("Gather", [f"{name}_scale", indices], [f"{output}_scales"], f"{output}_scales", axis=0),
            helper.make_node("Mul", [f"{output}_float", f"{output}_scales"], [output], f"{output}_rescaled"),
        ]
        for offset, new in enumerate(made):
            graph.node.insert(place + offset, new)
    graph.initializer.remove(table)
    graph.initializer.append(numpy_helper.from_array(codes, f"{name}_int8"))
    graph.initializer.append(numpy_helper.from_array(scales.astype(np.float32), f"{name}_scale"))
