"""The token embedding in an ONNX graph: found, cut to fewer rows, and stored in 8 bits by row or 4 bits by block."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from train.exporting.graph import INPUTS
from train.exporting.surgery import CONTRIBUTED, ask_for_contributed

_BLOCK: Final = 32
"""Values that share a scale, in 4 bits."""

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


def cut_embedding(model: Any, kept: NDArray[np.int64], rows: int) -> None:  # noqa: ANN401 - an onnx.ModelProto
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


def row_size(width: int, bits: int) -> int:
    """Return the bytes of a token in a quantised table."""
    return width + 4 if bits == 8 else width // 2 + 2 * (width // _BLOCK)


def quantise_embedding(model: Any, rows: int, bits: int) -> None:  # noqa: ANN401 - an onnx.ModelProto
    """Store the token embedding in fewer bits, in place.

    With 8 bits, e ~ s q with one s = max |e| / 127 a token. onnxruntime's own quantisation of Gather has one scale for
    the whole table, and rare tokens with short vectors lose most of their digits to the longest one. With 4 bits,
    e ~ s q with q from -8 to 7 and one s for 32 values, such that the largest of them by size is -8 s: what was stored
    so before (the format Q4_0 of llama.cpp) comes out as it was, to the 11 bits of a half float.

    Args:
        model: The model.
        rows: Number of token ids.
        bits: 8 or 4.

    Raises:
        UserError: The table's width is no multiple of a block, with 4 bits.
    """
    graph = model.graph
    node = find_embedding(graph, rows)
    name = node.input[0]
    table = next(tensor for tensor in graph.initializer if tensor.name == name)
    stored = _by_row(name, _values(table)) if bits == 8 else _by_block(name, _values(table))
    for each in [each for each in graph.node if each.op_type == "Gather" and each.input[0] == name]:
        place = list(graph.node).index(each)
        graph.node.remove(each)
        made = (_look_up_row if bits == 8 else _look_up_blocks)(name, each.input[1], each.output[0])
        for offset, new in enumerate(made):
            graph.node.insert(place + offset, new)
    graph.initializer.remove(table)
    graph.initializer.extend(stored)
    if bits == 4:
        ask_for_contributed(model)


def _values(table: Any) -> NDArray[np.float32]:  # noqa: ANN401 - an onnx.TensorProto
    from onnx import numpy_helper

    return np.asarray(numpy_helper.to_array(table)).astype(np.float32)


def _by_row(name: str, values: NDArray[np.float32]) -> list[Any]:
    from onnx import numpy_helper

    scales = np.abs(values).max(axis=1, keepdims=True) / 127
    scales[scales == 0] = 1
    codes = np.clip(np.rint(values / scales), -127, 127).astype(np.int8)
    return [
        numpy_helper.from_array(codes, f"{name}_codes"),
        numpy_helper.from_array(scales.astype(np.float32), f"{name}_scales"),
    ]


def _by_block(name: str, values: NDArray[np.float32]) -> list[Any]:
    from onnx import TensorProto, helper, numpy_helper

    rows, width = values.shape
    if width % _BLOCK:
        raise UserError(
            f"The token embedding is {width} values wide, no multiple of {_BLOCK}; set export.int8.embedding_bits to 8."
        )
    blocks = values.reshape(rows, width // _BLOCK, _BLOCK)
    places = np.abs(blocks).argmax(axis=2, keepdims=True)
    scales = (np.take_along_axis(blocks, places, axis=2) / -8).astype(np.float16)
    steps = scales.astype(np.float32)
    codes = np.rint(np.divide(blocks, steps, out=np.zeros_like(blocks), where=steps != 0))
    nibbles = (np.clip(codes, -8, 7).astype(np.int8).reshape(rows, width) & 0x0F).astype(np.uint8)
    packed = (nibbles[:, 0::2] | nibbles[:, 1::2] << 4).tobytes()
    return [
        helper.make_tensor(f"{name}_codes", TensorProto.INT4, (rows, width), packed, raw=True),
        numpy_helper.from_array(scales[:, :, 0], f"{name}_scales"),
    ]


def _look_up_row(name: str, indices: str, output: str) -> list[Any]:
    from onnx import TensorProto, helper

    return [
        helper.make_node("Gather", [f"{name}_codes", indices], [f"{output}_codes"], f"{output}_codes", axis=0),
        helper.make_node("Cast", [f"{output}_codes"], [f"{output}_float"], f"{output}_float", to=TensorProto.FLOAT),
        helper.make_node("Gather", [f"{name}_scales", indices], [f"{output}_scales"], f"{output}_scales", axis=0),
        helper.make_node("Mul", [f"{output}_float", f"{output}_scales"], [output], f"{output}_rescaled"),
    ]


def _look_up_blocks(name: str, indices: str, output: str) -> list[Any]:
    from onnx import TensorProto, helper

    half = f"{output}_half"
    found = helper.make_node(
        "GatherBlockQuantized",
        [f"{name}_codes", indices, f"{name}_scales"],
        [half],
        half,
        domain=CONTRIBUTED,
        gather_axis=0,
        quantize_axis=1,
        block_size=_BLOCK,
    )
    return [found, helper.make_node("Cast", [half], [output], f"{output}_float", to=TensorProto.FLOAT)]
