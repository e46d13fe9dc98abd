"""A tiny guard bundle with random weights, made without torch: for the tests of serve, app and evaluation.

The model is: embeddings of the tokens, their masked mean, one linear layer. So an expected logit can be worked out
with NumPy from `tiny_weights`. Its texts are harmless; the word "awful" has been given high logits in every column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.taxonomy import RTP_LX, Taxonomy
from serve.bundle import (
    BundleCategory,
    Calibration,
    Column,
    DataSource,
    FlagThresholds,
    GuardManifest,
    LanguageFacts,
    LevelThresholds,
    ModelFacts,
    PlattColumn,
    PrecisionCheck,
    Thresholds,
    write_bundle,
)

WORDS = (
    "query",
    "the",
    "a",
    "kind",
    "good",
    "day",
    "weather",
    "today",
    "friend",
    "hello",
    "awful",
    "tea",
    "und",
    "der",
)
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
WIDTH = 8


def make_tiny_bundle(
    folder: Path,
    *,
    taxonomy: Taxonomy = RTP_LX,
    window: int = 16,
    overlap: int = 4,
    prefix: str = "query: ",
    seed: int = 0,
    precisions: Sequence[str] = ("fp32",),
    languages: Mapping[str, bool] | None = None,
    **changes: Any,
) -> Path:
    """Make a bundle.

    Args:
        folder: Where to; made if it is not there.
        taxonomy: Its categories.
        window: Tokens in a window.
        overlap: Tokens that windows share.
        prefix: What stands before every window.
        seed: Of the weights.
        precisions: Names of its models, all with the same float32 weights.
        languages: Language -> whether the guard claims it; English (claimed) and German (not) if `None`.
        **changes: Further fields of `GuardManifest` to set.

    Returns:
        The folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tokens = write_tiny_tokenizer(folder / "tokenizer.json")
    columns = sum(category.scale - 1 for category in taxonomy)
    for precision in precisions:
        _write_model(folder / f"model.{precision}.onnx", *tiny_weights(tokens, columns, seed))
    (folder / "README.md").write_text("# A tiny guard for tests\n", encoding="utf-8")
    fields: dict[str, Any] = {
        "name": "tiny",
        "version": "0.0.1",
        "created": date(2026, 1, 2),
        "licence": "Apache-2.0",
        "taxonomy": taxonomy.name,
        "categories": [BundleCategory(name=c.name, title=c.title, scale=c.scale) for c in taxonomy],
        "columns": [Column(category=c.name, above=above) for c in taxonomy for above in range(1, c.scale)],
        "model": ModelFacts(
            files={precision: f"model.{precision}.onnx" for precision in precisions},
            default=precisions[0],
            base_model="none",
            base_licence="Apache-2.0",
            head="linear",
            window=window,
            overlap=overlap,
            prefix=prefix,
            pad_token_id=0,
            vocabulary=len(tokens),
        ),
        "calibration": tiny_calibration(taxonomy),
        "thresholds": tiny_thresholds(taxonomy),
        "languages": {
            tag: LanguageFacts(claimed=claimed, items=10)
            for tag, claimed in (languages or {"en": True, "de": False}).items()
        },
        "data": [DataSource(source="made up", licence="Apache-2.0", items=20)],
        "verification": {precision: PrecisionCheck(max_difference=0, flips=0, items=20) for precision in precisions},
    }
    write_bundle(folder, GuardManifest.model_validate({**fields, **changes}))
    return folder


def tiny_weights(tokens: Sequence[str], columns: int, seed: int = 0) -> tuple[NDArray[np.float32], ...]:
    """Return embeddings [tokens, WIDTH], weights [WIDTH, columns] and bias [columns]."""
    random = np.random.default_rng(seed)
    embeddings = random.normal(size=(len(tokens), WIDTH)).astype(np.float32)
    weights = random.normal(size=(WIDTH, columns)).astype(np.float32)
    weights[0] = 3.0
    embeddings[:, 0] = -0.3
    embeddings[list(tokens).index("▁awful")] = [20.0] + [0.0] * (WIDTH - 1)
    return embeddings, weights, random.normal(size=columns).astype(np.float32)


def tiny_calibration(taxonomy: Taxonomy = RTP_LX) -> Calibration:
    """Return Platt scaling of every column, pooled and, stricter in German, for one category."""
    first = taxonomy.categories[0]
    return Calibration(
        method="platt",
        pooled={c.name: tuple(PlattColumn(slope=0.5, intercept=0.1) for _ in range(c.scale - 1)) for c in taxonomy},
        languages={"de": {first.name: tuple(PlattColumn(slope=1.0) for _ in range(first.scale - 1))}},
    )


def tiny_thresholds(taxonomy: Taxonomy = RTP_LX) -> Thresholds:
    """Return thresholds of a half, and flags from the middle of each scale."""
    return Thresholds(
        levels=LevelThresholds(pooled={c.name: (0.5,) * (c.scale - 1) for c in taxonomy}),
        flags=FlagThresholds(
            above={c.name: max(1, c.scale // 2) for c in taxonomy},
            pooled={c.name: 0.6 for c in taxonomy},
            fallbacks={"en": "10 items are too few to tell"},
        ),
    )


def write_tiny_tokenizer(path: Path) -> list[str]:
    """Write a Unigram tokenizer with words, letters and, for all else, bytes; return its tokens."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    letters = [chr(number) for number in range(0x21, 0x7F)]
    pieces = [(piece, -2.0) for piece in (*(f"▁{word}" for word in WORDS), "▁")]
    pieces += [(letter, -5.0) for letter in letters]
    pieces += [(f"<0x{byte:02X}>", -9.0) for byte in range(256)]
    vocabulary = [(token, 0.0) for token in SPECIAL] + pieces
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace("\u200b", "")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.save(str(path))
    return [token for token, _ in vocabulary]


def _write_model(
    path: Path, embeddings: NDArray[np.float32], weights: NDArray[np.float32], bias: NDArray[np.float32]
) -> None:
    """Write the ONNX graph logits = (sum of mask * embedding / sum of mask) @ weights + bias."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    constants = {
        "embeddings": embeddings,
        "weights": weights,
        "bias": bias,
        "last_axis": np.array([2], dtype=np.int64),
        "length_axis": np.array([1], dtype=np.int64),
    }
    nodes = [
        helper.make_node("Gather", ["embeddings", "input_ids"], ["embedded"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last_axis"], ["wide_mask"]),
        helper.make_node("Mul", ["embedded", "wide_mask"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "length_axis"], ["total"], keepdims=0),
        helper.make_node("ReduceSum", ["mask", "length_axis"], ["count"], keepdims=1),
        helper.make_node("Div", ["total", "count"], ["mean"]),
        helper.make_node("MatMul", ["mean", "weights"], ["product"]),
        helper.make_node("Add", ["product", "bias"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [
            helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"])
            for n in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", len(bias)])],
        [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
