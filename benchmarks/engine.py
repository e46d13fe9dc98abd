"""The serving engine: texts a second, against transformers' pipeline and against the bound that onnxruntime sets.

    python benchmarks/engine.py --encoder FOLDER --texts FILE.jsonl --fields Prompt Completion

FOLDER holds a local encoder, for example multilingual-e5-small; it gets a fresh head of 18 columns, since speed does
not depend on what a head has learnt. FILE is one of RTP-LX's. Its words are dealt out to texts whose lengths are
log-normal, 20 words in the median and 330 at most, as in benchmarks/classifier.py.

The baseline is `pipeline("text-classification")` of transformers with the same weights in fp32: as it is called without
further options, one text at a time, and with `batch_size=32`. The bound is `session.run` on arrays that are ready-made
and batched at their best, with the engine's own settings of the session: no tokens, no calibration, no copies. What
matrix products alone would take, at the rate that onnxruntime reaches with one of the encoder's, says how much any
engine could gain in fp32.

With one thread, which is the default, time is the process's own, so that other work on the machine disturbs it little;
with more it is the clock's, and the machine should be quiet.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from classifier import mixed_lengths

from babelguard.taxonomy import RTP_LX
from serve import Guard
from serve.batches import pad, plan_batches
from serve.bundle import (
    BundleCategory,
    Calibration,
    Column,
    FlagThresholds,
    GuardManifest,
    LevelThresholds,
    ModelFacts,
    Thresholds,
    write_bundle,
)
from serve.engine import open_session
from serve.windows import Encoder

COLUMNS = [(category.name, above) for category in RTP_LX for above in range(1, category.scale)]
PREFIX = "query: "


@dataclass
class Contender:
    """Something that scores texts, and how long it took.

    Attributes:
        score: Returns logits or probabilities, [texts, columns].
        seconds: Time of each run.
        clock: What measures it.
        scores: What it returned last.
    """

    score: Callable[[Sequence[str]], np.ndarray]
    seconds: list[float]
    clock: Callable[[], float] = time.process_time
    scores: np.ndarray | None = None

    def run(self, texts: Sequence[str]) -> None:
        """Score the texts once more."""
        start = self.clock()
        self.scores = self.score(texts)
        self.seconds.append(self.clock() - start)


def main() -> None:
    """Print all speeds, their ratios and the largest difference of a probability."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--fields", nargs="+", default=["Prompt", "Completion"])
    parser.add_argument("--count", type=int, default=512)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1, help="of every contender")
    parser.add_argument(
        "--batch-tokens", type=int, help="tokens in one of our batches; the engine's default if left out"
    )
    parser.add_argument("--tokens", type=int, help="prune the vocabulary to its first tokens")
    parser.add_argument(
        "--keep", type=Path, help="folder in which the bundle stays; also read from there, if it is one"
    )
    parser.add_argument("--no-pipeline", action="store_true")
    chosen = parser.parse_args()

    import torch

    torch.set_num_threads(chosen.threads)
    texts = mixed_lengths(chosen.texts, chosen.fields, chosen.count)
    with tempfile.TemporaryDirectory() as temporary:
        torch_folder, bundle = Path(temporary) / "torch", chosen.keep or Path(temporary) / "bundle"
        model = with_head(chosen.encoder, torch_folder)
        if not (bundle / "SHA256SUMS").exists():
            make_bundle(model, torch_folder, bundle, texts, chosen.tokens)
        guards = {
            precision: Guard.load(bundle, precision=precision, threads=chosen.threads, batch_tokens=chosen.batch_tokens)
            for precision in ("fp32", "int8")
        }
        scores = {}
        for precision, guard in guards.items():
            scores[f"bound, {precision}"] = bound(guard, texts)
            scores[f"Guard.rate, {precision}"] = rated(guard)
        if not chosen.no_pipeline:
            scores["pipeline, one by one"] = pipeline_scores(torch_folder, 1)
            scores["pipeline, batch_size=32"] = pipeline_scores(torch_folder, 32)
        clock = time.process_time if chosen.threads == 1 else time.perf_counter
        contenders = {name: Contender(score, [], clock) for name, score in scores.items()}
        for _ in range(chosen.repeats):
            for contender in contenders.values():
                contender.run(texts)
        report(contenders, guards["fp32"], texts)
        if chosen.threads == 1:
            report_products(model, guards["fp32"], texts)


def report(contenders: dict[str, Contender], guard: Guard, texts: Sequence[str]) -> None:
    """Print the table."""
    lengths = [sum(map(len, encoded.windows)) for encoded in guard.encode_all(texts)]
    print(f"{len(texts)} texts, {np.median(lengths):.0f} tokens in the median, {max(lengths)} at most; {guard.engine}")
    ours = min(contenders["Guard.rate, fp32"].seconds)
    for name, contender in contenders.items():
        best = min(contender.seconds)
        print(f"{name:24} {len(texts) / best:8.1f} texts/s   Guard.rate in fp32 is {best / ours:5.2f} times as fast")
    print(f"Guard.rate reaches {min(contenders['bound, fp32'].seconds) / ours:.1%} of the bound in fp32, ", end="")
    fast = min(contenders["Guard.rate, int8"].seconds)
    print(
        f"{min(contenders['bound, int8'].seconds) / fast:.1%} in int8; int8 is {ours / fast:.2f} times as fast as fp32"
    )
    if "pipeline, one by one" in contenders:
        exact = contenders["pipeline, one by one"].scores
        for name in ("Guard.rate, fp32", "Guard.rate, int8", "pipeline, batch_size=32"):
            print(f"{name}: largest difference of a probability {np.abs(contenders[name].scores - exact).max():.1e}")


def report_products(model: Any, guard: Guard, texts: Sequence[str]) -> None:  # noqa: ANN401
    """Print what products with the encoder's matrices alone would take, attention's own left out."""
    config = model.config
    rate = product_rate(guard.engine.batch_tokens, config.hidden_size, config.intermediate_size)
    weights = sum(
        layer.weight.numel() for layer in model.base_model.encoder.modules() if type(layer).__name__ == "Linear"
    )
    tokens = sum(len(window) for encoded in guard.encode_all(texts) for window in encoded.windows)
    print(
        f"matrix products alone, at {rate / 1e9:.0f} GFLOPS: {len(texts) * rate / (2 * weights * tokens):.1f} texts/s"
    )


def product_rate(rows: int, inner: int, columns: int) -> float:
    """Return floating-point operations a second of onnxruntime's product of two matrices, with one thread."""
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    random = np.random.default_rng(0)
    left, right = (random.normal(size=shape).astype(np.float32) for shape in ((rows, inner), (inner, columns)))
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["left", "right"], ["product"])],
        "product",
        [helper.make_tensor_value_info("left", TensorProto.FLOAT, left.shape)],
        [helper.make_tensor_value_info("product", TensorProto.FLOAT, [rows, columns])],
        [numpy_helper.from_array(right, "right")],
    )
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    best = np.inf
    for _ in range(50):
        start = time.process_time_ns()
        session.run(None, {"left": left})
        best = min(best, time.process_time_ns() - start)
    return 2e9 * rows * inner * columns / best


def rated(guard: Guard) -> Callable[[Sequence[str]], np.ndarray]:
    """Return our way."""

    def score(texts: Sequence[str]) -> np.ndarray:
        return np.array([[p for values in r.probabilities.values() for p in values] for r in guard.rate(texts)])

    return score


def bound(guard: Guard, texts: Sequence[str]) -> Callable[[Sequence[str]], np.ndarray]:
    """Return a raw session on ready-made arrays, in the same batches."""
    _, path = guard.source.model(guard.precision)
    workers = guard.engine.workers
    session = open_session(path, guard.engine.providers, guard.engine.threads // workers, chosen=True)
    windows = [window for encoded in guard.encode_all(texts) for window in encoded.windows]
    batches = [
        dict(
            zip(
                ("input_ids", "attention_mask"),
                pad([windows[n] for n in batch], guard.bundle.model.pad_token_id),
                strict=True,
            )
        )
        for batch in plan_batches([len(window) for window in windows], guard.engine.batch_tokens)
    ]

    def score(_: Sequence[str]) -> np.ndarray:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda batch: session.run(None, batch), batches))
        return np.empty(0)

    return score


def pipeline_scores(folder: Path, batch_size: int) -> Callable[[Sequence[str]], np.ndarray]:
    """Return the baseline; probabilities non-increasing within a category, as ours are."""
    from transformers import pipeline

    pipe: Any = pipeline(
        "text-classification", model=str(folder), top_k=None, function_to_apply="sigmoid", device="cpu"
    )
    labels = [f"{category}>{above}" for category, above in COLUMNS]

    def score(texts: Sequence[str]) -> np.ndarray:
        answers = pipe([PREFIX + text for text in texts], batch_size=batch_size, truncation=True)
        found = [{each["label"]: each["score"] for each in answer} for answer in answers]
        values = np.array([[row[label] for label in labels] for row in found])
        for category in RTP_LX:
            own = [n for n, (name, _) in enumerate(COLUMNS) if name == category.name]
            values[:, own] = np.minimum.accumulate(values[:, own], axis=1)
        return values

    return score


def with_head(encoder: Path, folder: Path) -> Any:  # noqa: ANN401 - a model of transformers
    """Save the encoder with a fresh head, and return it."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    torch.manual_seed(0)
    labels = dict(enumerate(f"{category}>{above}" for category, above in COLUMNS))
    model = AutoModelForSequenceClassification.from_pretrained(
        encoder, dtype=torch.float32, id2label=labels, label2id={label: n for n, label in labels.items()}
    ).eval()
    torch.nn.init.normal_(model.classifier.weight, std=0.5)  # so that scores differ from text to text
    pooler = getattr(model.base_model, "pooler", None)
    if pooler is not None:
        torch.nn.init.normal_(pooler.dense.weight, std=0.05)  # sentence encoders come without one
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(encoder).save_pretrained(folder)
    return model


def make_bundle(model: Any, folder: Path, bundle: Path, texts: Sequence[str], tokens: int | None) -> None:  # noqa: ANN401
    """Export the model with its head, in fp32 and in the default scheme of int8, which is tuned on some texts."""
    import onnx
    import torch

    from train.exporting.attention import fuse_attention
    from train.exporting.graph import export_graph
    from train.exporting.int8 import quantise
    from train.exporting.options import ExportOptions, Int8Options
    from train.exporting.token_embedding import cut_embedding
    from train.exporting.tokenizer_pruning import prune_tokenizer

    padding = int(model.config.pad_token_id or 0)

    class Logits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = model

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            return self.inner(input_ids=input_ids, attention_mask=attention_mask).logits

    rows = model.config.vocab_size
    graph = export_graph(Logits().eval(), longest=512, opset=ExportOptions().opset)
    print(fuse_attention(graph, longest=512).sentence())
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    if tokens is not None:
        tokenizer, kept = prune_tokenizer(tokenizer, range(tokens))
        cut_embedding(graph, kept, rows)
        rows = len(kept)
    bundle.mkdir(parents=True, exist_ok=True)
    onnx.save(graph, str(bundle / "model.fp32.onnx"))
    (bundle / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    encoder = Encoder(bundle / "tokenizer.json", window=512, overlap=64, prefix=PREFIX)
    quantise(
        graph,
        bundle / "model.int8.onnx",
        rows,
        windows=[window for text in encoder.encode(texts[:64]) for window in text.windows],
        padding=padding,
        options=Int8Options(exclude="none"),
        flips=lambda _: 0.0,
        bound=1.0,
    )
    (bundle / "README.md").write_text("A guard with a random head, for benchmarks.\n", encoding="utf-8")
    write_bundle(bundle, manifest(rows, padding))


def manifest(rows: int, padding: int) -> GuardManifest:
    """Return what guard.json says of a guard that has learnt nothing."""
    return GuardManifest(
        name="random",
        version="0",
        created=datetime.now(UTC).date(),
        licence="none",
        taxonomy=RTP_LX.name,
        categories=tuple(BundleCategory(name=c.name, title=c.title, scale=c.scale) for c in RTP_LX),
        columns=tuple(Column(category=category, above=above) for category, above in COLUMNS),
        model=ModelFacts(
            files={"fp32": "model.fp32.onnx", "int8": "model.int8.onnx"},
            default="int8",
            base_model="local",
            base_licence="none",
            head="random",
            window=512,
            overlap=64,
            prefix=PREFIX,
            pad_token_id=padding,
            vocabulary=rows,
        ),
        calibration=Calibration(),
        thresholds=Thresholds(
            levels=LevelThresholds(pooled={c.name: (0.5,) * (c.scale - 1) for c in RTP_LX}),
            flags=FlagThresholds(above={c.name: 1 for c in RTP_LX}, pooled={c.name: 0.5 for c in RTP_LX}),
        ),
    )


if __name__ == "__main__":
    main()
