"""Matrices in integers with one scale a token, run by onnxruntime, against the sum in fp64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from train.exporting.tokenwise import quantise_by_token

CHANNELS, COLUMNS = 48, 24
FloatArray = NDArray[np.float32]


def graph_of(matrices: list[FloatArray], biases: list[FloatArray | None]) -> Any:
    from onnx import TensorProto, helper, numpy_helper

    nodes, fixed = [], []
    for number, (matrix, bias) in enumerate(zip(matrices, biases, strict=True)):
        fixed.append(numpy_helper.from_array(matrix, f"w{number}"))
        product = f"y{number}" if bias is None else f"p{number}"
        nodes.append(helper.make_node("MatMul", ["x", f"w{number}"], [product], f"product{number}"))
        if bias is not None:
            fixed.append(numpy_helper.from_array(bias, f"b{number}"))
            nodes.append(helper.make_node("Add", [f"b{number}", product], [f"y{number}"], f"sum{number}"))
    shape: list[str | int | None] = ["batch", "length", COLUMNS]
    graph = helper.make_graph(
        nodes,
        "products",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "length", CHANNELS])],
        [helper.make_tensor_value_info(f"y{n}", TensorProto.FLOAT, shape) for n in range(len(matrices))],
        fixed,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def run(model: Any, values: FloatArray) -> list[FloatArray]:
    import onnxruntime

    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(None, {"x": values}))


def by_token(matrix: FloatArray, bias: FloatArray | None, values: FloatArray, outliers: int) -> FloatArray:
    model = graph_of([matrix], [bias])
    quantise_by_token(model, {"product0"}, {"x": np.abs(values).reshape(-1, CHANNELS).max(axis=0)}, outliers)
    return run(model, values)[0]


def random(seed: int, *shape: int) -> FloatArray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def test_small_integers_come_out_as_they_were() -> None:
    # A token's range is 255 and a column's largest weight 127, so that every code is the number itself.
    generator = np.random.default_rng(0)
    values = generator.integers(-100, 156, (2, 5, CHANNELS)).astype(np.float32)
    values[..., 0], values[..., 1] = -100, 155
    matrix = generator.integers(-127, 128, (CHANNELS, COLUMNS)).astype(np.float32)
    matrix[3] = 127
    bias = generator.integers(-9, 10, COLUMNS).astype(np.float32)
    assert by_token(matrix, bias, values, 0) == pytest.approx(values @ matrix + bias, rel=1e-5, abs=0.05)


def test_an_outlier_costs_the_others_nothing() -> None:
    values, matrix = random(1, 3, 7, CHANNELS), random(2, CHANNELS, COLUMNS)
    values[..., 11] *= 1000
    exact = values.astype(np.float64) @ matrix

    def error(outliers: int) -> float:
        return float(np.abs(by_token(matrix, None, values, outliers) - exact).mean())

    assert error(1) < 0.05
    assert error(0) > 1


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 1000), st.integers(0, CHANNELS), st.booleans(), st.floats(-3, 3), st.sampled_from([1e-4, 1.0, 1e4])
)
def test_the_error_is_that_of_rounding(seed: int, outliers: int, biased: bool, shift: float, size: float) -> None:
    values = (random(seed, 2, 3, CHANNELS) + np.float32(shift)) * np.float32(size)
    matrix = random(seed + 1, CHANNELS, COLUMNS)
    bias = random(seed + 2, COLUMNS) if biased else None
    exact = values.astype(np.float64) @ matrix + (0 if bias is None else bias)
    # Half a step of each factor, the other one at its largest, and all channels on the same side.
    widths = values.max(axis=-1, keepdims=True) - np.minimum(values.min(axis=-1, keepdims=True), 0)
    steps = widths / 510 * np.abs(matrix).sum(axis=0) + np.abs(matrix).max(axis=0) / 254 * np.abs(values).sum(
        axis=-1, keepdims=True
    )
    assert (np.abs(by_token(matrix, bias, values, outliers) - exact) <= 1.1 * steps + 1e-4).all()


def test_company_does_not_matter() -> None:
    values, matrix = random(3, 4, 6, CHANNELS), random(4, CHANNELS, COLUMNS)
    model = graph_of([matrix], [None])
    quantise_by_token(model, {"product0"}, {"x": np.abs(values).reshape(-1, CHANNELS).max(axis=0)}, 4)
    together = run(model, values)[0]
    for row in range(4):
        assert run(model, values[row : row + 1])[0][0] == pytest.approx(together[row], abs=1e-5)


def test_tokens_without_any_activation_give_the_bias() -> None:
    bias = random(5, COLUMNS)
    values = np.zeros((1, 2, CHANNELS), dtype=np.float32)
    assert by_token(random(6, CHANNELS, COLUMNS), bias, values, 2)[0] == pytest.approx(np.stack([bias, bias]))


def test_products_of_one_input_share_its_codes_and_what_is_not_named_stays() -> None:
    from onnx import checker

    matrices = [random(seed, CHANNELS, COLUMNS) for seed in (7, 8, 9)]
    model = graph_of(matrices, [None, random(10, COLUMNS), None])
    values = random(11, 2, 3, CHANNELS)
    exact = run(model, values)
    quantise_by_token(model, {"product0", "product1"}, {"x": np.abs(values).reshape(-1, CHANNELS).max(axis=0)}, 3)
    checker.check_model(model)
    kinds = [node.op_type for node in model.graph.node]
    assert kinds.count("QuantizeLinear") == 1
    assert kinds.count("MatMulIntegerToFloat") == 2
    assert {tensor.name for tensor in model.graph.initializer} == {
        name for node in model.graph.node for name in node.input
    } & {tensor.name for tensor in model.graph.initializer}
    assert "w2" in {tensor.name for tensor in model.graph.initializer}
    for found, expected in zip(run(model, values), exact, strict=True):
        assert found == pytest.approx(expected, abs=0.3)
