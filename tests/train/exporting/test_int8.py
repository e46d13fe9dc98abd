"""Which groups of matrices are spared, and how what is spared is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from babelguard.errors import UserError
from train.exporting.int8 import FlipRate, Int8Findings, quantise
from train.exporting.options import Int8Options

ROWS, WIDTH, GROUPS = 50, 32, ("first", "second", "third")


def graph() -> Any:
    """Tokens looked up, then three matrices one after the other."""
    from onnx import TensorProto, helper, numpy_helper

    generator = np.random.default_rng(0)
    table = generator.normal(size=(ROWS, WIDTH)).astype(np.float32)
    fixed = [numpy_helper.from_array(table, "table")]
    nodes, name = [helper.make_node("Gather", ["table", "input_ids"], ["x"], "look-up", axis=0)], "x"
    for group in GROUPS:
        matrix = generator.normal(size=(WIDTH, WIDTH)).astype(np.float32)
        fixed.append(numpy_helper.from_array(matrix, f"{group}_matrix"))
        nodes.append(helper.make_node("MatMul", [name, f"{group}_matrix"], [f"{group}_out"], group))
        name = f"{group}_out"
    tokens: list[str | int | None] = ["batch", "length"]
    made = helper.make_graph(
        nodes,
        "matrices",
        [helper.make_tensor_value_info(n, TensorProto.INT64, tokens) for n in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [*tokens, WIDTH])],
        fixed,
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def kinds(path: Path) -> Counter[str]:
    import onnx

    return Counter(node.op_type for node in onnx.load(path).graph.node)


def flips_by(rates: Mapping[int, float]) -> FlipRate:
    """Return a rate that depends on the number of matrices that are spared."""
    return lambda path: rates[kinds(path)["MatMulNBits"]]


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Int8Findings]:
    def quantised(flips: FlipRate, **options: Any) -> Int8Findings:
        windows = [np.arange(2, 12)]
        given = Int8Options(**{"block": 16, **options})
        return quantise(graph(), tmp_path / "model.onnx", ROWS, windows, 0, given, flips, 0.01)

    return quantised


def test_nothing_is_spared_where_few_enough_flip(run: Callable[..., Int8Findings], tmp_path: Path) -> None:
    found = run(flips_by({0: 0.005}))
    assert (found.spared, found.flips, found.flips_all) == ((), 0.005, 0.005)
    assert kinds(tmp_path / "model.onnx")["MatMulIntegerToFloat"] == 3


def test_groups_are_spared_until_half_of_the_bound_is_kept(run: Callable[..., Int8Findings], tmp_path: Path) -> None:
    found = run(flips_by({0: 0.03, 1: 0.02, 2: 0.004}))
    assert (len(found.spared), found.flips) == (2, 0.004)
    written = kinds(tmp_path / "model.onnx")
    assert (written["MatMulNBits"], written["MatMulIntegerToFloat"]) == (2, 1)
    assert set(found.flips_by_group) == set(GROUPS)


def test_no_group_is_spared_that_does_not_help(run: Callable[..., Int8Findings], tmp_path: Path) -> None:
    found = run(flips_by({0: 0.03, 1: 0.02, 2: 0.02}))
    assert (len(found.spared), found.flips) == (1, 0.02)
    assert kinds(tmp_path / "model.onnx")["MatMulNBits"] == 1


def test_patterns_name_what_stays_in_fp32(run: Callable[..., Int8Findings], tmp_path: Path) -> None:
    found = run(flips_by({}), exclude=("*ir*",), spared="fp32", scheme="dynamic", smoothing=0.0)
    assert (found.spared, found.flips) == (("first", "third"), None)
    assert kinds(tmp_path / "model.onnx")["MatMul"] == 2
    with pytest.raises(UserError, match="fits none of first, second, third"):
        run(flips_by({}), exclude=("fourth",))


@pytest.mark.parametrize("scheme", ["tokenwise", "dynamic", "blockwise"])
def test_what_is_written_runs(run: Callable[..., Int8Findings], tmp_path: Path, scheme: str) -> None:
    # The first matrix takes the looked-up embedding itself, as in models that project it before anything else.
    import onnxruntime

    run(flips_by({}), exclude=("second",), scheme=scheme)
    ids = np.arange(12, dtype=np.int64).reshape(2, 6)
    given = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    exact, found = (
        onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, given)[0]
        for model in (graph().SerializeToString(), str(tmp_path / "model.onnx"))
    )
    assert np.abs(found - exact).max() < 0.05 * np.abs(exact).max()


def test_spared_matrices_of_the_blockwise_scheme_are_in_fp32(run: Callable[..., Int8Findings], tmp_path: Path) -> None:
    found = run(flips_by({}), exclude=("second",), scheme="blockwise")
    assert kinds(tmp_path / "model.onnx")["MatMul"] == 1
    assert "Spared, and stored in fp32: `second`." in found.summary()
    assert "Spared, and stored blockwise: `second`." in run(flips_by({}), exclude=("second",)).summary()


def test_activations_cannot_be_seen_without_texts(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="scheme tokenwise needs texts"):
        quantise(graph(), tmp_path / "model.onnx", ROWS, [], 0, Int8Options(), flips_by({}), 0.01)
