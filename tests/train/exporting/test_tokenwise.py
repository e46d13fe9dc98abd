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


def run(model: Any, values: FloatArray, name: str = "x") -> list[FloatArray]:
    import onnxruntime

    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(None, {name: values}))


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


def test_a_product_that_the_graph_gives_out_keeps_its_own_place() -> None:
    from onnx import TensorProto, checker, helper

    model = graph_of([random(12, CHANNELS, COLUMNS)], [random(13, COLUMNS)])
    model.graph.output.append(helper.make_tensor_value_info("p0", TensorProto.FLOAT, ["batch", "length", COLUMNS]))
    values = random(14, 2, 3, CHANNELS)
    assert_close(model, values)
    checker.check_model(model)
    assert [node.name for node in model.graph.node][-1] == "sum0"


@pytest.mark.parametrize("bias", [np.ones(1, dtype=np.float32), np.ones((), dtype=np.float32)])
def test_a_number_that_is_added_is_no_bias(bias: FloatArray) -> None:
    assert_close(graph_of([random(15, CHANNELS, COLUMNS)], [bias]), random(16, 2, 3, CHANNELS))


def test_a_graph_inside_a_node_keeps_what_it_takes() -> None:
    from onnx import TensorProto, checker, helper, numpy_helper

    model = graph_of([random(17, CHANNELS, COLUMNS)], [random(18, COLUMNS)])
    model.graph.initializer.append(numpy_helper.from_array(np.array(True), "yes"))
    branches = []
    for name in ("then", "else"):
        shown = helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
        inner = helper.make_node("Add", ["p0", "b0"], [name], f"inner-{name}")
        branches.append(helper.make_graph([inner], name, [], [shown]))
    chosen = helper.make_node("If", ["yes"], ["y1"], "choice", then_branch=branches[0], else_branch=branches[1])
    model.graph.node.append(chosen)
    model.graph.output.append(helper.make_tensor_value_info("y1", TensorProto.FLOAT, ["batch", "length", COLUMNS]))
    assert_close(model, random(19, 2, 3, CHANNELS))
    checker.check_model(model)


def test_names_that_are_there_already_are_not_taken_again() -> None:
    model = graph_of([random(20, CHANNELS, COLUMNS)], [None])
    from onnx import helper

    model.graph.node.insert(0, helper.make_node("Identity", ["given"], ["x"], "x_codes"))
    model.graph.input[0].name = "given"
    model.graph.node.append(helper.make_node("Neg", ["y0"], ["x_codes"], "y0"))
    values = random(21, 2, 3, CHANNELS)
    exact = run(model, values, "given")
    quantise_by_token(model, {"product0"}, {"x": np.abs(values).reshape(-1, CHANNELS).max(axis=0)}, 2)
    assert run(model, values, "given")[0] == pytest.approx(exact[0], abs=0.3)


def assert_close(model: Any, values: FloatArray) -> None:
    exact = run(model, values)
    quantise_by_token(model, {"product0"}, {"x": np.abs(values).reshape(-1, CHANNELS).max(axis=0)}, 3)
    for found, expected in zip(run(model, values), exact, strict=True):
        assert found == pytest.approx(expected, abs=0.3)


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
