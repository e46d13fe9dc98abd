"""The matrices of an ONNX graph by the module that they come from, and groups of them that play the same part."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from typing import Any

_SCOPES = "pkg.torch.onnx.name_scopes"
_NARROWEST = 16
_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)")


def matrix_modules(model: Any) -> dict[str, str]:  # noqa: ANN401 - an onnx.ModelProto
    """Return node name -> module, for every multiplication by a fixed matrix; the head's narrow one is left out.

    The exporter notes at each node the modules that it comes from; a node without a note keeps its own name.
    """
    fixed = {
        tensor.name for tensor in model.graph.initializer if len(tensor.dims) == 2 and min(tensor.dims) >= _NARROWEST
    }
    nodes = (node for node in model.graph.node if node.op_type == "MatMul" and node.input[1] in fixed)
    return {node.name: _module(node) for node in nodes}


def groups(modules: dict[str, str]) -> dict[str, list[str]]:
    """Return group -> node names; the layers of a stack are one group: ``encoder.layer.*.output.dense``."""
    found: dict[str, list[str]] = defaultdict(list)
    for node, module in modules.items():
        found[_NUMBER.sub("*", module)].append(node)
    return dict(found)


def _module(node: Any) -> str:  # noqa: ANN401 - an onnx.NodeProto
    for entry in node.metadata_props:
        if entry.key == _SCOPES:
            # A printed list of module paths, from the whole model to the operation itself.
            scopes = [scope for scope in ast.literal_eval(entry.value)[:-1] if scope]
            if scopes:
                return str(scopes[-1])
    return str(node.name)
