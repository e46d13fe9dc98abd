"""Half precision: weights and arithmetic in float16, inputs and outputs as they were."""

from __future__ import annotations

from typing import Any


def to_half(model: Any) -> Any:  # noqa: ANN401 - an onnx.ModelProto
    """Return a float16 copy of a model whose inputs stay int64 and whose output stays float32.

    By onnxruntime's converter for transformers; sums over tokens and the softmax of long windows are within float16's
    range there, and what is not (values beyond 65504) it keeps in float32.
    """
    import warnings

    import onnx
    from onnxruntime.transformers.float16 import convert_float_to_float16

    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    with warnings.catch_warnings():
        # It tells of every weight that is too small for float16 and becomes the smallest number.
        warnings.simplefilter("ignore")
        return convert_float_to_float16(copy, keep_io_types=True)
