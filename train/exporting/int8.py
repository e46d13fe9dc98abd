"""8-bit integers: which matrices, by which scheme, and which are spared because decisions suffer.

- ``tokenwise``: weights with one scale an output channel, activations with one scale a token, channels with outliers
  apart (`tokenwise`). Close to the trained model and independent of a text's company.
- ``dynamic``: activations with one scale a batch, measured when it runs (onnxruntime's `quantize_dynamic`), after
  outliers were moved into the weights (`smoothing`). The fastest.
- ``blockwise``: weights and activations with one scale for a block of a row (onnxruntime's `MatMulNBits`). About as
  close as the first, and about half as fast.

Groups of matrices that hurt are spared: in the first two they are stored blockwise, or stay in fp32, as in the third.
The token embedding has one scale a token in all, or 4 bits in blocks. What is left (head, norms, attention products)
stays in fp32.
"""

from __future__ import annotations

import contextlib
import fnmatch
import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from train.exporting.matrices import groups, matrix_modules
from train.exporting.options import Int8Options
from train.exporting.smoothing import largest_activations, smooth
from train.exporting.token_embedding import quantise_embedding
from train.exporting.tokenwise import quantise_by_token

FlipRate = Callable[[Path], float]
"""Share of decisions of a model file that differ from the trained model's."""


@dataclass(frozen=True, slots=True)
class Int8Findings:
    """What was measured, and what was spared.

    Attributes:
        scheme: The scheme.
        spared: Groups of matrices that are left out of it.
        stored: How these are stored; in fp32 in any case where the scheme itself is blockwise.
        flips_by_group: Group -> share of decisions that flip when it alone is spared; empty if not measured.
        flips_all: Share that flips with nothing spared; `None` if not measured.
        flips: Share that flips in the end; `None` if not measured.
    """

    scheme: str
    spared: tuple[str, ...]
    stored: str
    flips_by_group: Mapping[str, float]
    flips_all: float | None
    flips: float | None

    def sentences(self) -> list[str]:
        """Return the findings in words, group by group."""
        ordered = sorted(self.flips_by_group.items(), key=lambda entry: entry[1])
        return [*self.summary(), *(f"  {flips:.2%} with {group} spared" for group, flips in ordered)]

    def summary(self) -> list[str]:
        """Return the findings in few words."""
        found = [f"Scheme: {self.scheme}."]
        if self.flips_all is not None:
            found.append(f"With nothing spared {self.flips_all:.2%} of decisions flip on the tuning texts.")
        if self.spared:
            kept = "blockwise" if self.stored == "blockwise" and self.scheme != "blockwise" else "in fp32"
            found.append(f"Spared, and stored {kept}: {', '.join(f'`{name}`' for name in self.spared)}.")
            if self.flips is not None:
                found.append(f"So {self.flips:.2%} flip.")
        return found


@dataclass(frozen=True)
class Int8Writer:
    """Writes int8 versions of one model.

    Attributes:
        model: The float32 `onnx.ModelProto`; it is not changed.
        rows: Number of token ids.
        parts: Groups of matrices.
        activations: Largest activations of their inputs; empty where the scheme does not ask for them.
        options: The options.
    """

    model: Any
    rows: int
    parts: Mapping[str, list[str]]
    activations: Mapping[str, NDArray[np.float32]]
    options: Int8Options

    def write(self, path: Path, spared: Collection[str]) -> None:
        """Write a model in which some groups are spared."""
        import onnx

        copy = onnx.ModelProto()
        copy.CopyFrom(self.model)
        quantise_embedding(copy, self.rows, self.options.embedding_bits)
        inside = [node for group, nodes in self.parts.items() if group not in spared for node in nodes]
        outside = [node for group in self.parts if group in spared for node in self.parts[group]]
        with _quiet():
            if self.options.scheme == "blockwise":
                onnx.save_model(_blockwise(copy, inside, self.options.block), path)
                return
            if outside and self.options.spared == "blockwise":
                copy = _blockwise(copy, outside, self.options.block)
            if self.options.scheme == "tokenwise":
                quantise_by_token(copy, inside, self.activations, self.options.outliers)
                onnx.save_model(copy, path)
                return
            if self.activations:
                smooth(copy, inside, self.activations, self.options.smoothing)
            _dynamic(copy, path, inside)


def quantise(
    model: Any,  # noqa: ANN401 - an onnx.ModelProto
    path: Path,
    rows: int,
    windows: Sequence[NDArray[np.int64]],
    padding: int,
    options: Int8Options,
    flips: FlipRate,
    bound: float,
) -> Int8Findings:
    """Write an int8 model.

    With ``exclude: auto``, groups of matrices are spared one after the other, each time the one that helps most beside
    those that are spared already, until at most half of `bound` flips on the tuning texts: the other half is room for
    other texts.

    Args:
        model: The float32 `onnx.ModelProto`.
        path: The file to write.
        rows: Number of token ids.
        windows: Windows of tuning texts, from which the size of activations is known.
        padding: Token id that fills batches up.
        options: The options.
        flips: Measures a model file.
        bound: Share of decisions that may flip.

    Raises:
        UserError: A pattern of `exclude` fits no matrix, or there is no text to see activations with.
    """
    modules = matrix_modules(model)
    parts = groups(modules)
    asks = options.scheme == "tokenwise" or (options.scheme == "dynamic" and options.smoothing > 0)
    if asks and not windows:
        raise UserError(
            f"export.int8.scheme {options.scheme} needs texts that show the size of activations, and there are none; "
            "use a run whose calibration split has texts, or the scheme blockwise."
        )
    activations = largest_activations(model, modules, windows, padding) if asks else {}
    writer = Int8Writer(model, rows, parts, activations, options)
    if options.exclude != "auto":
        spared = _matching(options.exclude, parts)
        writer.write(path, spared)
        return Int8Findings(options.scheme, spared, options.spared, {}, None, None)
    writer.write(path, ())
    everything = present = flips(path)
    chosen: list[str] = []
    alone: dict[str, float] = {}
    while present > bound / 2 and len(chosen) < len(parts):
        measured = {}
        for group in parts:
            if group not in chosen:
                writer.write(path, (*chosen, group))
                measured[group] = flips(path)
        alone = alone or measured
        best = min(measured, key=lambda name: measured[name])
        if measured[best] >= present:
            break  # none helps
        chosen.append(best)
        present = measured[best]
    writer.write(path, chosen)
    return Int8Findings(options.scheme, tuple(chosen), options.spared, alone, everything, present)


def _dynamic(model: Any, path: Path, nodes: Collection[str]) -> None:  # noqa: ANN401
    from onnxruntime.quantization import QuantType, quantize_dynamic

    if not nodes:
        import onnx

        onnx.save_model(model, path)
        return
    quantize_dynamic(
        model,
        path,
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        weight_type=QuantType.QInt8,
        nodes_to_quantize=list(nodes),
    )


def _blockwise(model: Any, nodes: Collection[str], block: int) -> Any:  # noqa: ANN401
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    names = set(nodes)
    others = [node.name for node in model.graph.node if node.op_type in {"MatMul", "Gemm"} and node.name not in names]
    # Level 4: activations in int8 by block too, so that the products are of integers.
    quantiser = MatMulNBitsQuantizer(
        model, bits=8, block_size=block, is_symmetric=True, accuracy_level=4, nodes_to_exclude=others
    )
    quantiser.process()
    return quantiser.model.model


def _matching(patterns: object, parts: Mapping[str, list[str]]) -> tuple[str, ...]:
    if not isinstance(patterns, tuple):
        return ()
    found: list[str] = []
    for pattern in patterns:
        matching = fnmatch.filter(parts, pattern)
        if not matching:
            raise UserError(f"export.int8.exclude: {pattern!r} fits none of {', '.join(parts)}.")
        found += matching
    return tuple(dict.fromkeys(found))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the quantisers' remarks, one a tensor through the root logger, off the console."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
