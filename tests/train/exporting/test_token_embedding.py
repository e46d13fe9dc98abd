"""A token embedding in fewer bits, looked up by onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from babelguard.errors import UserError
from train.exporting.token_embedding import quantise_embedding, row_size


def looked_up(table: NDArray[np.float32], bits: int) -> NDArray[np.float32]:
    import onnxruntime

    model = graph_of(table)
    quantise_embedding(model, len(table), bits)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"input_ids": np.arange(len(table))[None]})
    return np.asarray(found[0])


def graph_of(table: NDArray[np.float32]) -> Any:
    from onnx import TensorProto, helper, numpy_helper

    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["found"], "look-up", axis=0)],
        "tokens",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])],
        [helper.make_tensor_value_info("found", TensorProto.FLOAT, ["batch", "length", table.shape[1]])],
        [numpy_helper.from_array(table, "table")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def test_a_table_of_four_bits_comes_out_as_it_was() -> None:
    generator = np.random.default_rng(0)
    codes = generator.integers(-8, 8, (40, 2, 32))
    codes[:, :, 3] = -8  # in Q4_0 the largest value of a block is always -8 steps
    steps = generator.normal(size=(40, 2, 1)).astype(np.float16).astype(np.float32)
    table = (codes * steps).reshape(40, 64).astype(np.float32)
    # A half float has 11 bits.
    assert looked_up(table, 4) == pytest.approx(table, rel=2**-11)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-3, 1.0, 30.0]))
def test_no_value_is_further_off_than_its_step(seed: int, size: float) -> None:
    table = (np.random.default_rng(seed).standard_t(4, (6, 64)) * size).astype(np.float32)
    largest = np.abs(table).max(axis=1, keepdims=True)
    assert (np.abs(looked_up(table, 8) - table) <= largest / 127 / 2 * 1.01).all()
    blocks = np.abs(table).reshape(6, 2, 32).max(axis=2, keepdims=True)
    errors = np.abs(looked_up(table, 4) - table).reshape(6, 2, 32)
    # Half a step, but for values beyond 7.5 steps on the other side: those lose up to a whole one.
    assert (errors <= blocks / 8 * 1.01).all()


@pytest.mark.parametrize("bits", [4, 8])
def test_rows_of_zeros(bits: int) -> None:
    table = np.zeros((3, 32), dtype=np.float32)
    table[1] = np.linspace(-1, 1, 32)
    found = looked_up(table, bits)
    assert (found[[0, 2]] == 0).all()
    assert found[1] == pytest.approx(table[1], abs=0.13)


def test_a_width_that_is_no_multiple_of_a_block() -> None:
    with pytest.raises(UserError, match=r"40 values wide.*embedding_bits to 8"):
        looked_up(np.ones((3, 40), dtype=np.float32), 4)


def test_the_size_of_a_row() -> None:
    assert row_size(384, 8) == 388
    assert row_size(384, 4) == 192 + 24
