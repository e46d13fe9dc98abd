"""Fused attention: the same logits at any length, and whatever is not plain attention stays as it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from train.exporting.attention import fuse_attention
from train.exporting.graph import export_graph
from train.exporting.half import to_half
from train.exporting.int8 import quantise
from train.exporting.matrices import matrix_modules
from train.exporting.options import Int8Options

WINDOW = 24
SHAPES = ((1, 1), (1, 2), (3, 7), (2, 23), (5, WINDOW))


pytestmark = pytest.mark.usefixtures("one_thread")


class Logits(torch.nn.Module):
    """A BERT of random weights; one that is a decoder looks back only."""

    def __init__(self, *, attention: str, decoder: bool) -> None:
        from transformers import BertConfig, BertForSequenceClassification

        super().__init__()
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=50,
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=48,
            max_position_embeddings=WINDOW,
            initializer_range=0.3,
            num_labels=3,
            is_decoder=decoder,
            attn_implementation=attention,
        )
        self.inner = BertForSequenceClassification(config)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.inner(input_ids=input_ids, attention_mask=attention_mask).logits
        return logits


def exported(attention: str = "sdpa", *, decoder: bool = False) -> Any:
    return export_graph(Logits(attention=attention, decoder=decoder).eval(), longest=WINDOW, opset=20)


def copy_of(model: Any) -> Any:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy


@pytest.fixture(scope="module", params=["sdpa", "eager"])
def plain(request: pytest.FixtureRequest) -> Any:
    return exported(request.param)


@pytest.fixture(scope="module")
def fused(plain: Any) -> Any:
    model = copy_of(plain)
    fusion = fuse_attention(model, WINDOW)
    assert (fusion.fused, fusion.left) == (2, 0)
    assert fusion.sentence() == "2 of 2 attentions are fused; the others stay as they are."
    return model


def logits(model: Any, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    content = str(model) if isinstance(model, Path) else model.SerializeToString()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    (found,) = session.run(["logits"], {"input_ids": ids, "attention_mask": mask})
    return np.asarray(found)


def padded(rows: int, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Return texts of which every other one is padded."""
    ids = np.random.default_rng(length).integers(1, 50, (rows, length))
    mask = np.ones_like(ids)
    mask[1::2, max(1, length // 2) :] = 0
    return ids * mask, mask


@pytest.mark.parametrize("shape", SHAPES)
def test_logits_stay(plain: Any, fused: Any, shape: tuple[int, int]) -> None:
    ids, mask = padded(*shape)
    assert logits(fused, ids, mask) == pytest.approx(logits(plain, ids, mask), abs=1e-5)


def test_one_node_is_left_of_an_attention(plain: Any, fused: Any) -> None:
    onnx.checker.check_model(fused)
    before, after = (Counter(node.op_type for node in model.graph.node) for model in (plain, fused))
    assert (before["MultiHeadAttention"], after["MultiHeadAttention"]) == (0, 2)
    assert after["Softmax"] == after["Transpose"] == after["IsNaN"] == 0
    assert {tensor.name for tensor in fused.graph.initializer} <= {n for each in fused.graph.node for n in each.input}


def test_a_second_time_there_is_nothing_to_fuse(fused: Any) -> None:
    again = copy_of(fused)
    assert fuse_attention(again, WINDOW).sentence() == "The graph has no attention that is known; nothing is fused."
    assert again == fused


def test_attention_that_looks_back_only_is_left_alone() -> None:
    causal = exported(decoder=True)
    before = copy_of(causal)
    fusion = fuse_attention(causal, WINDOW)
    assert (fusion.fused, fusion.left) == (0, 2)
    assert fusion.sentence() == "0 of 2 attentions are fused; the others stay as they are."
    assert causal == before


def test_half_precision_runs(fused: Any) -> None:
    ids, mask = padded(4, 9)
    assert logits(to_half(fused), ids, mask) == pytest.approx(logits(fused, ids, mask), abs=0.05)


@pytest.mark.parametrize("scheme", ["tokenwise", "dynamic", "blockwise"])
def test_int8_finds_the_same_matrices(plain: Any, fused: Any, tmp_path: Path, scheme: str) -> None:
    modules = matrix_modules(fused)
    assert modules == matrix_modules(plain)
    assert len(modules) == 2 * 6
    ids, mask = padded(4, 9)
    options = Int8Options(scheme=scheme, smoothing=0.5, exclude="none", block=16)
    windows = [row[row > 0] for row in ids]
    path = tmp_path / "model.onnx"
    quantise(fused, path, 50, windows, 0, options, lambda _: 0.0, 1.0)
    assert logits(path, ids, mask) == pytest.approx(logits(fused, ids, mask), abs=0.3)
