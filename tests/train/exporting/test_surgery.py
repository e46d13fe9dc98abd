"""Who takes a tensor, and what nothing needs, also where a node has a graph inside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from train.exporting.surgery import CONTRIBUTED, ask_for_contributed, drop_unused_tensors, takers, used_names


@pytest.fixture
def model() -> Any:
    from onnx import TensorProto, helper, numpy_helper

    def branch(name: str, tensor: str) -> Any:
        shown = helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
        return helper.make_graph([helper.make_node("Add", ["x", tensor], [name])], name, [], [shown])

    branches = {"then_branch": branch("yes", "inside"), "else_branch": branch("no", "x")}
    nodes = [
        helper.make_node("Add", ["x", "x"], ["double"], "twice"),
        helper.make_node("If", ["condition"], ["y"], "choice", **branches),
    ]
    names = ("inside", "given_out", "unused")
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("y", "given_out")],
        [numpy_helper.from_array(np.ones(1, dtype=np.float32), name) for name in names],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])


def test_a_node_takes_what_is_taken_inside_it(model: Any) -> None:
    found = {name: [node.name for node in nodes] for name, nodes in takers(model.graph).items()}
    assert found["inside"] == ["choice"]
    assert sorted(found["x"]) == ["choice", "choice", "twice", "twice"]
    assert {"inside", "given_out"} <= used_names(model.graph)
    assert "double" not in used_names(model.graph)


def test_only_what_nothing_needs_goes(model: Any) -> None:
    drop_unused_tensors(model.graph)
    assert [tensor.name for tensor in model.graph.initializer] == ["inside", "given_out"]


def test_operators_are_asked_for_once(model: Any) -> None:
    ask_for_contributed(model)
    ask_for_contributed(model)
    assert [entry.domain for entry in model.opset_import] == ["", CONTRIBUTED]
