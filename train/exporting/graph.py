"""From a torch classifier to an ONNX graph with any batch and any length."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterator
from typing import Any

from babelguard.errors import UserError

INPUTS, OUTPUT = ("input_ids", "attention_mask"), "logits"
_PROTOBUF_LIMIT = 2**31 - 1


def export_graph(model: Any, *, longest: int, opset: int) -> Any:  # noqa: ANN401 - torch and onnx have no light types
    """Export a classifier in float32.

    Args:
        model: `torch.nn.Module` in evaluation mode with ``forward(input_ids, attention_mask) -> logits``.
        longest: Tokens of the longest window.
        opset: Version of the ONNX operators.

    Returns:
        `onnx.ModelProto` with the inputs `input_ids` and `attention_mask` [batch, length] int64, and the output
        `logits` [batch, columns] float32.

    Raises:
        UserError: The architecture cannot be exported, or is too large for one ONNX file.
    """
    import torch

    size = sum(weight.numel() * 4 for weight in model.parameters())
    if size > _PROTOBUF_LIMIT:
        raise UserError(
            f"The model has {size / 1e9:.1f} GB of weights in fp32, and one ONNX file holds 2 GB: prune the vocabulary "
            "does not help here; serve the merged weights with transformers or vLLM, or train a smaller model."
        )
    # Batch 2 and length 7: sizes of 0 and 1 would be taken for constants.
    ids = torch.randint(0, 2, (2, 7), dtype=torch.int64)
    mask = torch.ones_like(ids)
    mask[1, -2:] = 0
    batch, length = torch.export.Dim("batch", min=1), torch.export.Dim("length", min=1, max=longest)
    shapes = {name: {0: batch, 1: length} for name in INPUTS}
    try:
        with torch.no_grad(), _quiet():
            program = torch.onnx.export(
                model.float().cpu(),
                (),
                kwargs=dict(zip(INPUTS, (ids, mask), strict=True)),
                input_names=list(INPUTS),
                output_names=[OUTPUT],
                dynamic_shapes=shapes,
                opset_version=opset,
                dynamo=True,
                verbose=False,
            )
    except Exception as error:
        reason = str(error).strip().splitlines()
        raise UserError(
            f"{type(model).__name__} cannot be exported to ONNX: {reason[0] if reason else type(error).__name__}; "
            "try model.attention: eager in the recipe, or another base model."
        ) from error
    assert program is not None
    return program.model_proto


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the exporter's remarks about operators of other libraries, and about names, off the console."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "onnxscript", "onnx_ir")]
    before = [logger.level for logger in loggers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for logger in loggers:
            logger.setLevel(logging.ERROR)
        try:
            yield
        finally:
            for logger, level in zip(loggers, before, strict=True):
                logger.setLevel(level)
