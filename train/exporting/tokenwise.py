"""8-bit matrices with one scale a token, and the channels with outliers beside them in fp32.

Each token's activations x are mapped onto 0..1 by their own range and become 8-bit codes; each output channel of the
weights has one scale. A few channels of an encoder have activations many times larger than the others', and would cost
these their digits: they are left out of the codes, and their small product is computed in fp32 (LLM.int8(), Dettmers et
al., NeurIPS 2022; there channels are chosen when it runs, here once, on the tuning texts). With r = max x - min x over
the channels that have codes, c = (x - min x) / r, and W_f the rows of the channels without:

    x W + b  =  r (c W_q)  +  [x_f, min x, 1] [W_f; sum of the rows of W_q; b]

No scale comes from a batch: what a text gets does not depend on its company, but for the rounding of fp32 sums. An
activation that is not a number has no code: it is lost, unless its whole token is such.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from train.exporting.surgery import CONTRIBUTED, ask_for_contributed, drop_unused_tensors, takers

FloatArray = NDArray[np.float32]
_STEP, _ZERO, _AXIS, _LEAST = (f"tokenwise/{name}" for name in ("step", "zero", "axis", "least"))


@dataclass
class _Rewriting:
    """A graph in the making.

    Attributes:
        fixed: Name -> tensor of the graph as it was.
        takers: Name -> nodes that take it.
        given_out: Outputs of the graph.
        outliers: Channels that stay in fp32, at most.
        nodes: Nodes of the new graph.
        tensors: Its new tensors.
        without: Input -> its channels that have no codes.
    """

    fixed: Mapping[str, Any]
    takers: Mapping[str, list[Any]]
    given_out: Collection[str]
    outliers: int
    nodes: list[Any] = field(default_factory=list)
    tensors: list[Any] = field(default_factory=list)
    without: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    def add(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:  # noqa: ANN401
        """Add a node that is named by its output, and return the output's name."""
        from onnx import helper

        name = output if output.startswith("tokenwise/") else f"tokenwise/{output}"
        self.nodes.append(helper.make_node(operator, inputs, [output], name, **attributes))
        return output

    def keep(self, name: str, values: NDArray[Any]) -> str:
        """Add a tensor, and return its name."""
        from onnx import numpy_helper

        self.tensors.append(numpy_helper.from_array(values, name))
        return name

    def bias(self, product: str, columns: int) -> tuple[str, FloatArray | None]:
        """Return the name of what follows a product and its bias, or the product's own name and `None`."""
        from onnx import numpy_helper

        found = self.takers.get(product, [])
        if len(found) == 1 and found[0].op_type == "Add" and product not in self.given_out:
            other = next((name for name in found[0].input if name != product), "")
            tensor = self.fixed.get(other)
            if tensor is not None and list(tensor.dims) == [columns]:
                return found[0].output[0], numpy_helper.to_array(tensor)
        return product, None


def quantise_by_token(
    model: Any,  # noqa: ANN401 - an onnx.ModelProto
    names: Collection[str],
    activations: Mapping[str, FloatArray],
    outliers: int,
) -> None:
    """Turn some multiplications by fixed matrices into ones of integers, in place.

    Args:
        model: The float32 model.
        names: Names of the multiplications.
        activations: Largest activations, input -> [channels], from `smoothing.largest_activations`.
        outliers: Channels of each input that stay in fp32: those with the largest activations.
    """
    graph = model.graph
    fixed = {tensor.name: tensor for tensor in graph.initializer}
    made = _Rewriting(fixed, takers(graph), {output.name for output in graph.output}, outliers)
    made.keep(_STEP, np.array(1 / 255, dtype=np.float32))
    made.keep(_ZERO, np.array(0, dtype=np.uint8))
    made.keep(_AXIS, np.array([-1], dtype=np.int64))
    made.keep(_LEAST, np.array(1e-12, dtype=np.float32))
    done: set[str] = set()
    for node in graph.node:
        if node.name in names:
            if node.input[0] not in made.without:
                _codes(made, node.input[0], activations[node.input[0]])
            done.add(_product(made, node))
        elif node.output[0] not in done:  # a bias that is part of its product
            made.nodes.append(node)
    del graph.node[:]
    graph.node.extend(made.nodes)
    graph.initializer.extend(made.tensors)
    drop_unused_tensors(graph)
    ask_for_contributed(model)


def _codes(made: _Rewriting, name: str, activations: FloatArray) -> None:
    """Add what all products with an input share: its codes, its range, and what goes beside them in fp32."""
    channels = np.sort(np.argsort(-activations, kind="stable")[: min(made.outliers, len(activations) - 1)])
    own = f"tokenwise/{name}"
    made.without[name] = channels.astype(np.int64)
    rest, beside = name, []
    if len(channels):
        mask = np.ones(len(activations), dtype=np.float32)
        mask[channels] = 0
        rest = made.add("Mul", [name, made.keep(f"{own}_mask", mask)], f"{own}_rest")
        places = made.keep(f"{own}_places", made.without[name])
        beside.append(made.add("Gather", [name, places], f"{own}_outliers", axis=-1))
    highest = made.add("ReduceMax", [rest, _AXIS], f"{own}_highest", keepdims=1)
    lowest = made.add("ReduceMin", [rest, _AXIS], f"{own}_lowest", keepdims=1)
    width = made.add("Sub", [highest, lowest], f"{own}_width")
    # Never zero, so that a token whose activations are all alike divides by something.
    scale = made.add("Max", [width, _LEAST], f"{own}_range")
    shifted = made.add("Sub", [rest, lowest], f"{own}_shifted")
    unit = made.add("Div", [shifted, scale], f"{own}_unit")
    made.add("QuantizeLinear", [unit, _STEP, _ZERO], f"{own}_codes")
    one = made.add("Div", [scale, scale], f"{own}_one")
    made.add("Concat", [*beside, lowest, one], f"{own}_beside", axis=-1)


def _product(made: _Rewriting, node: Any) -> str:  # noqa: ANN401 - an onnx.NodeProto
    """Add a product of integers and the small one beside it; return the name of the sum."""
    from onnx import numpy_helper

    name, matrix = node.input
    values = numpy_helper.to_array(made.fixed[matrix]).astype(np.float32)
    few = values[made.without[name]]
    rest = values.copy()
    rest[made.without[name]] = 0
    scales = np.abs(rest).max(axis=0) / 127
    scales[scales == 0] = 1
    codes = np.rint(rest / scales).astype(np.int8)
    output, bias = made.bias(node.output[0], len(scales))
    own = f"tokenwise/{output}"
    last = np.zeros(len(scales), dtype=np.float32) if bias is None else bias
    beside = np.concatenate([few, [(codes * scales).sum(axis=0), last]]).astype(np.float32)
    stored = [
        made.keep(f"{own}_matrix", codes),
        _STEP,
        made.keep(f"{own}_scales", scales),
        _ZERO,
    ]
    integers = made.add(
        "MatMulIntegerToFloat", [f"tokenwise/{name}_codes", *stored], f"{own}_integers", domain=CONTRIBUTED
    )
    scaled = made.add("Mul", [integers, f"tokenwise/{name}_range"], f"{own}_scaled")
    small = made.add(
        "MatMul",
        [f"tokenwise/{name}_beside", made.keep(f"{own}_rows", beside)],
        f"{own}_small",
    )
    return made.add("Add", [scaled, small], output)
