"""The schemes of int8 on one trained guard: how many decisions flip, how large and how fast each is.

    python benchmarks/int8_schemes.py RUN [--set SETTING ...]

RUN is a folder of `train.run`. It is exported once in fp32 and once in each scheme with nothing spared; decisions are
compared on test items as in any export. Then the bundles rate the same texts of the test split on one thread, in turn,
and the best of several rounds counts, in processor time.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from serve import Guard
from train.corpus import read_corpus, shown_text
from train.exporting.classifier import export_classifier
from train.exporting.trained_run import read_plan, read_run

SCHEMES = ("tokenwise", "dynamic", "blockwise")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="SETTING", help="as of train.export")
    parser.add_argument("--items", type=int, default=1000, help="on which decisions are compared")
    parser.add_argument("--texts", type=int, default=300, help="that are timed")
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    items = read_corpus(read_plan(chosen.run)).items["test"]
    step = max(1, len(items) // chosen.texts)
    texts = [shown_text(item) for item in items[::step]][: chosen.texts]
    with tempfile.TemporaryDirectory() as folder:
        made = {name: export(chosen, Path(folder) / name, name) for name in ("fp32", *SCHEMES)}
        speeds = texts_per_second(made, texts, chosen.rounds)
        print("| | MB | levels that flip | flags | mean difference of a logit | texts/s | times fp32 |")
        print("|---|--:|--:|--:|--:|--:|--:|")
        for name, path in made.items():
            (check,) = Guard.load(path).bundle.verification.values()
            more = check.model_extra or {}
            size = sum(file.stat().st_size for file in path.glob("*.onnx")) / 1e6
            print(
                f"| {name} | {size:.1f} | {check.flips:.2%} | {more['flag_flips']:.2%} | {more['mean_difference']:.3f} "
                f"| {speeds[name]:.0f} | {speeds[name] / speeds['fp32']:.2f} |"
            )


def export(chosen: argparse.Namespace, to: Path, name: str) -> Path:
    """Export the run in fp32, or in one scheme of int8, and return the bundle's folder."""
    precision = "fp32" if name == "fp32" else "int8"
    sets = [
        *chosen.set,
        f"export.precisions=[{precision}]",
        f"export.items={chosen.items}",
        "export.bounds={int8: 1.0, vocabulary: 1.0}",
        "export.int8.exclude=none",
    ]
    if name != "fp32":
        sets.append(f"export.int8.scheme={name}")
    return export_classifier(read_run(chosen.run, sets), to, tell=lambda _: None).folder


def texts_per_second(bundles: Mapping[str, Path], texts: Sequence[str], rounds: int) -> dict[str, float]:
    """Rate texts with each bundle in turn; return texts a second of processor time, the best of some rounds."""
    guards = {name: Guard.load(path, provider="cpu", threads=1) for name, path in bundles.items()}
    best = dict.fromkeys(guards, float("inf"))
    for _ in range(rounds):
        for name, guard in guards.items():
            begin = time.process_time()
            guard.rate(texts)
            best[name] = min(best[name], time.process_time() - begin)
    return {name: len(texts) / seconds for name, seconds in best.items()}


if __name__ == "__main__":
    main()
