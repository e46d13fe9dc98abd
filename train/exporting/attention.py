"""Puts one node in the place of each attention of an exported graph: onnxruntime's `MultiHeadAttention`.

The exporter writes attention out as products, transpositions, a mask of [batch, 1, length, length] and a softmax, and
onnxruntime's own fusions do not recognise what it writes. The fused node (com.microsoft, version 1) takes queries, keys
and values [batch, length, width] and a mask [batch, length] of the tokens that are not padding.

A place that looks like attention is tried before it is replaced: both forms compute random queries, keys and values,
padded and not, up to the longest window. So attention that looks back only, or at neighbours only, or that has biases
of position, is left as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from train.exporting.graph import INPUTS
from train.exporting.surgery import CONTRIBUTED, ask_for_contributed, drop_unused_tensors, taken_by, takers

_LARGEST_DIFFERENCE = 1e-5
_PADDED = "attention_mask_int32"
_SHAPING = {"Reshape", "Transpose", "Identity"}


@dataclass(frozen=True, slots=True)
class Fusion:
    """What was fused.

    Attributes:
        fused: Attentions that are one node now.
        left: Those that stay as they were.
    """

    fused: int
    left: int

    def sentence(self) -> str:
        """Say it in words."""
        if not self.fused and not self.left:
            return "The graph has no attention that is known; nothing is fused."
        return f"{self.fused} of {self.fused + self.left} attentions are fused; the others stay as they are."


@dataclass(frozen=True, slots=True)
class _Attention:
    """A place that looks like attention: names of its tensors, its factor, and the nodes between."""

    queries: str
    keys: str
    values: str
    weights: str
    output: str
    scale: float
    last: Any


class _Graph:
    """A graph's nodes by what they make and by what they take."""

    def __init__(self, graph: Any) -> None:  # noqa: ANN401 - an onnx.GraphProto
        self.nodes = list(graph.node)
        self.fixed = {tensor.name: tensor for tensor in graph.initializer}
        self.maker = {name: node for node in graph.node for name in node.output}
        self.takers = takers(graph)

    def only_taker(self, name: str, *operators: str) -> Any | None:  # noqa: ANN401 - an onnx.NodeProto
        found = self.takers.get(name, [])
        return found[0] if len(found) == 1 and found[0].op_type in operators else None

    def number(self, name: str) -> float | None:
        """Return the number that a tensor is; `None` if it is none, or not fixed."""
        from onnx import numpy_helper

        tensor = self.fixed.get(name)
        return float(numpy_helper.to_array(tensor)) if tensor is not None and math.prod(tensor.dims) == 1 else None

    def source(self, name: str) -> tuple[str, float]:
        """Return the tensor of which another is a reshaped multiple, and the factor."""
        factor = 1.0
        while (node := self.maker.get(name)) is not None:
            if node.op_type in _SHAPING:
                name = node.input[0]
                continue
            number = self.number(node.input[1]) if node.op_type in {"Mul", "Div"} else None
            if number is None:
                break
            factor = factor * number if node.op_type == "Mul" else factor / number
            name = node.input[0]
        return name, factor

    def width(self, name: str) -> int | None:
        """Return the last dimension of what a layer makes."""
        node = self.maker.get(name)
        fixed = [self.fixed[each] for each in node.input if each in self.fixed] if node is not None else []
        return int(fixed[0].dims[-1]) if node is not None and node.op_type in {"Add", "MatMul"} and fixed else None

    def behind(self, output: Sequence[str], given: Sequence[str]) -> list[Any]:
        """Return the nodes that make some tensors out of given ones, in order."""
        wanted, found = set(output), []
        for node in reversed(self.nodes):
            if wanted.intersection(node.output) - set(given):
                found.append(node)
                wanted.update(node.input)
        return found[::-1]


def fuse_attention(model: Any, longest: int) -> Fusion:  # noqa: ANN401 - an onnx.ModelProto
    """Fuse attention where it is plain, in place.

    Args:
        model: The float32 model, with `attention_mask` [batch, length], 1 for tokens and 0 for padding, as an input.
        longest: Tokens of the longest window.

    Returns:
        What was fused. Logits stay as they were, up to rounding.
    """
    from onnx import TensorProto, helper

    graph = _Graph(model.graph)
    places = list(_places(graph))
    replaced: dict[str, Any] = {}
    for number, place in enumerate(places):
        heads = _heads(model, graph, place, longest)
        if heads is not None:
            replaced[place.output] = _node(place, heads, f"attention_{number}")
    if replaced:
        nodes = [helper.make_node("Cast", [INPUTS[1]], [_PADDED], _PADDED, to=TensorProto.INT32)]
        nodes += [replaced.get(node.output[0], node) for node in graph.nodes]
        _replace(model, nodes)
    return Fusion(len(replaced), len(places) - len(replaced))


def _places(graph: _Graph) -> Iterator[_Attention]:
    """Yield what looks like attention: softmax(scale q k + mask) v, reshaped."""
    for softmax in graph.nodes:
        if softmax.op_type != "Softmax":
            continue
        masked = graph.maker.get(softmax.input[0])
        if masked is None or masked.op_type != "Add":
            continue
        for name in masked.input:
            scores, factor = graph.source(name)
            product = graph.maker.get(scores)
            if product is None or product.op_type != "MatMul" or product.input[1] in graph.fixed:
                continue
            (queries, of_queries), (keys, of_keys) = map(graph.source, product.input)
            found = _weighted(graph, softmax.output[0])
            if found is not None:
                values, last = found
                scale = factor * of_queries * of_keys
                yield _Attention(queries, keys, values, softmax.output[0], last.output[0], scale, last)
                break


def _weighted(graph: _Graph, weights: str) -> tuple[str, Any] | None:
    """Return the values that softmax weighs, and the node that ends the attention."""
    # Scaled dot product attention makes 0 of the weights of a row that may look at nothing; no window has such a row.
    for node in graph.takers.get(weights, []):
        if node.op_type == "Where":
            weights = node.output[0]
    product = graph.only_taker(weights, "MatMul")
    turned = graph.only_taker(product.output[0], "Transpose") if product is not None else None
    last = graph.only_taker(turned.output[0], "Reshape") if turned is not None else None
    return None if product is None or last is None else (graph.source(product.input[1])[0], last)


def _node(place: _Attention, heads: int, name: str) -> Any:  # noqa: ANN401 - an onnx.NodeProto
    from onnx import helper

    inputs = [place.queries, place.keys, place.values, "", _PADDED]
    made = helper.make_node(
        "MultiHeadAttention", inputs, [place.output], name, domain=CONTRIBUTED, num_heads=heads, scale=place.scale
    )
    made.metadata_props.extend(place.last.metadata_props)
    return made


def _heads(model: Any, graph: _Graph, place: _Attention, longest: int) -> int | None:  # noqa: ANN401
    """Return the number of heads, if one node computes what the place does; else `None`."""
    from onnx import TensorProto, helper

    names = (place.queries, place.keys, place.values)
    widths = [graph.width(name) for name in names]
    if len(set(names)) < len(names) or None in widths or len(set(widths)) > 1:
        return None
    nodes = graph.behind([place.output, place.weights], names)
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"]) for n in INPUTS]
    inputs += [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch", "length", widths[0]]) for n in names]
    needed = {name for node in nodes for name in node.input}
    made = {name for node in nodes for name in node.output} | graph.fixed.keys() | {each.name for each in inputs}
    if needed - made - {""}:
        return None  # it takes more than queries, keys, values and the mask
    fixed = [tensor for name, tensor in graph.fixed.items() if name in needed]
    present = _session(model, nodes, inputs, [place.output, place.weights], fixed)
    heads: int | None = None
    for length in sorted({1, 7, longest}):
        feed = _random_feed(names, widths[0] or 1, length)
        expected, weights = present.run(None, feed)
        if weights.ndim != 4 or weights.shape[2:] != (length, length):
            return None  # not [batch, heads, queries, keys]
        heads = weights.shape[1]
        cast = helper.make_node("Cast", [INPUTS[1]], [_PADDED], to=TensorProto.INT32)
        fused = _session(model, [cast, _node(place, heads, "tried")], inputs, [place.output], [])
        if np.abs(fused.run(None, feed)[0] - expected)[feed[INPUTS[1]] == 1].max() > _LARGEST_DIFFERENCE:
            return None
    return heads


def _random_feed(names: Sequence[str], width: int, length: int) -> dict[str, NDArray[Any]]:
    random = np.random.default_rng(length)
    mask = np.ones((2, length), dtype=np.int64)
    mask[1, -(-length // 2) :] = 0
    tokens = dict(zip(INPUTS, (np.zeros_like(mask), mask), strict=True))
    return tokens | {name: random.normal(size=(2, length, width)).astype(np.float32) for name in names}


def _session(model: Any, nodes: Sequence[Any], inputs: Any, outputs: Sequence[str], fixed: Sequence[Any]) -> Any:  # noqa: ANN401
    import onnxruntime
    from onnx import helper

    graph = helper.make_graph(nodes, "part", inputs, [helper.make_empty_tensor_value_info(n) for n in outputs], fixed)
    versions = {each.domain: each.version for each in model.opset_import} | {CONTRIBUTED: 1}
    part = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid(domain, version) for domain, version in versions.items()],
        ir_version=model.ir_version,
    )
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    return onnxruntime.InferenceSession(part.SerializeToString(), settings, providers=["CPUExecutionProvider"])


def _replace(model: Any, nodes: Sequence[Any]) -> None:  # noqa: ANN401
    """Give a model other nodes, without those that nothing needs any more."""
    graph = model.graph
    needed, kept = {output.name for output in graph.output}, []
    for node in reversed(nodes):
        if needed.intersection(node.output):
            kept.append(node)
            needed.update(taken_by(node))
    del graph.node[:]
    graph.node.extend(reversed(kept))
    drop_unused_tensors(graph)
    known = {name for node in kept for name in node.output}
    for place in reversed(range(len(graph.value_info))):
        if graph.value_info[place].name not in known:
            del graph.value_info[place]
    ask_for_contributed(model)
