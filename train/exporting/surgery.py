"""What changes of an ONNX graph have in common: who takes a tensor, and what nothing needs any more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

CONTRIBUTED: Final = "com.microsoft"
"""Domain of onnxruntime's own operators."""


def ask_for_contributed(model: Any) -> None:  # noqa: ANN401 - an onnx.ModelProto
    """Say in a model that it uses onnxruntime's own operators, in place."""
    from onnx import helper

    if all(entry.domain != CONTRIBUTED for entry in model.opset_import):
        model.opset_import.append(helper.make_opsetid(CONTRIBUTED, 1))


def taken_by(node: Any) -> Iterator[str]:  # noqa: ANN401 - an onnx.NodeProto
    """Yield the tensors that a node takes; one with a graph inside, such as `If`, takes what is taken in there too."""
    yield from node.input
    for attribute in node.attribute:
        for inner in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]:
            yield from used_names(inner)


def takers(graph: Any) -> dict[str, list[Any]]:  # noqa: ANN401 - an onnx.GraphProto
    """Return tensor -> the nodes that take it, once for each input and each graph inside."""
    found: dict[str, list[Any]] = defaultdict(list)
    for node in graph.node:
        for name in taken_by(node):
            found[name].append(node)
    return dict(found)


def used_names(graph: Any) -> set[str]:  # noqa: ANN401 - an onnx.GraphProto
    """Return the tensors that a node takes, or that the graph gives out."""
    return {*takers(graph), *(output.name for output in graph.output)}


def drop_unused_tensors(graph: Any) -> None:  # noqa: ANN401 - an onnx.GraphProto
    """Remove the fixed tensors that nothing needs, in place."""
    used = used_names(graph)
    # By place: removing by value compares whole tensors.
    for place in reversed(range(len(graph.initializer))):
        if graph.initializer[place].name not in used:
            del graph.initializer[place]
