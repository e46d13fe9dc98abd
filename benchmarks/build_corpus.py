"""Builds a corpus of a million synthetic items on two cores, and times near-duplicates against datasketch as usual.

    python benchmarks/build_corpus.py                    # 1,000,000 items: minutes
    python benchmarks/build_corpus.py --items 50000

The items: contents in four languages of four scripts (pseudo-words, 5 to 40 a text), eight categories with three
annotators, 2 in 100 exact and 5 in 100 near-duplicates (one word of another text changed). They are written as JSON
lines first, which is not timed, and then read, filtered, normalised, deduplicated, split, checked and written.

The baseline is the way that datasketch's documentation shows: n-grams encoded one by one, `MinHash` with its own hash,
`MinHashLSH` asked and filled item by item. It finds no clusters and writes nothing. A part of the items is timed.

Prints items a second, time and peak memory; ends with 1 where 15 minutes or 5 GB for a million items are exceeded.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from babelguard import RTP_LX, Item
from babelguard.jsonl import dump_line, parse_line, read_lines
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.building.assemble import build
from data_prep.building.recipe import BuildRecipe, Part, PartRecipe, Plan
from data_prep.source import Source

SCRIPTS = {"en": (0x61, 26), "ru": (0x430, 32), "hi": (0x915, 37), "zh-Hans": (0x4E00, 3000)}
"""Language -> first letter and number of letters that its pseudo-words are made of."""
WORDS = 20_000
EXACT, NEAR = 0.02, 0.05
SECONDS_PER_MILLION, GIGABYTES = 15 * 60, 5.0


class PathOptions(RecipeModel):
    """Where the items are."""

    path: Path


def vocabulary(tag: str, rng: np.random.Generator) -> list[str]:
    """Returns pseudo-words of a language's letters, frequent ones first."""
    first, letters = SCRIPTS[tag]
    longest = 3 if tag == "zh-Hans" else 10
    return ["".join(chr(first + c) for c in rng.integers(letters, size=rng.integers(1, longest))) for _ in range(WORDS)]


def texts(tag: str, count: int, rng: np.random.Generator) -> Iterator[str]:
    """Yields texts, some of which repeat an earlier one or change a word of it."""
    words = vocabulary(tag, rng)
    gap = "" if tag == "zh-Hans" else " "
    recent: list[list[str]] = []
    for _ in range(count):
        draw = rng.random()
        if recent and draw < EXACT + NEAR:
            chosen = list(recent[rng.integers(len(recent))])
            if draw >= EXACT:
                chosen[rng.integers(len(chosen))] = words[rng.integers(WORDS)]
        else:
            ranks = np.minimum((rng.pareto(0.8, rng.integers(5, 40)) * 20).astype(int), WORDS - 1)
            chosen = [words[rank] for rank in ranks]
        if len(recent) < 5_000:
            recent.append(chosen)
        yield gap.join(chosen)


def write_items(path: Path, count: int, seed: int) -> None:
    """Writes synthetic items as JSON lines, the languages of a content one after the other."""
    rng = np.random.default_rng(seed)
    contents = count // len(SCRIPTS)
    streams = {tag: texts(tag, contents, rng) for tag in SCRIPTS}
    with path.open("wb") as file:
        for content in range(contents):
            for tag, stream in streams.items():
                labels = {c.name: (1 + rng.integers(c.scale, size=3)).tolist() for c in RTP_LX}
                record = {"id": f"{tag}/{content}", "source_id": f"made/{content}", "source": "made", "labels": labels}
                file.write(dump_line({**record, "language": tag, "text": next(stream)}))


def read(options: PathOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:  # noqa: ARG001
    """Streams the items of the file."""
    for _, line in read_lines(options.path):
        log.found_row(options.path)
        log.row_gave(options.path, 1)
        yield Item.from_dict(parse_line(line))


def plan_for(items: Path, output: Path) -> Plan:
    """Returns the plan that builds a corpus of the file, with every stage as it is by default."""
    part = PartRecipe(source="made", name="made")
    recipe = BuildRecipe(name="made", sources=(part,), output=output)
    source = Source(options=PathOptions, read=read, licence="CC0-1.0", citation="none")
    return Plan(recipe, RTP_LX, (Part(part, source, PathOptions(path=items)),))


def baseline(items: Path, count: int) -> float:
    """Returns the seconds an item of datasketch's documented way."""
    from datasketch import MinHash, MinHashLSH

    some = []
    for _, line in read_lines(items):
        some.append(parse_line(line)["text"])
        if len(some) == count:
            break
    index = MinHashLSH(threshold=0.8, num_perm=128)
    start = time.perf_counter()
    for number, text in enumerate(some):
        sketch = MinHash(num_perm=128)
        for place in range(max(1, len(text) - 4)):
            sketch.update(text[place : place + 5].encode("utf-8"))
        index.query(sketch)
        index.insert(number, sketch)
    return (time.perf_counter() - start) / len(some)


def near_duplicate_seconds(items: Path, count: int) -> float:
    """Returns the seconds an item of our near-duplicate detection alone, clusters included."""
    from data_prep.building.near_duplicates import SignatureMaker, find_clusters

    some = []
    for _, line in read_lines(items):
        some.append(parse_line(line)["text"])
        if len(some) == count:
            break
    start = time.perf_counter()
    maker = SignatureMaker(permutations=128, seed=1)
    for place in range(0, len(some), 2_000):
        maker.add(some[place : place + 2_000])
    find_clusters(maker.signatures(), 0.8)
    return (time.perf_counter() - start) / len(some)


def machine() -> str:
    """Says what this ran on."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    return f"{names[0] if names else platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}"


def report(manifest: dict[str, Any], seconds: float, count: int) -> bool:
    """Prints what was measured and returns whether it is within the bounds."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    left_out = manifest["parts"][0]["items"]["left_out"]
    print(f"{count:,} items read, {manifest['items']:,} written; left out: {left_out}")
    print(f"{manifest['leak_check']['clusters']:,} near-duplicate clusters of several items, none crosses a split")
    print(f"build: {seconds:.0f} s, {count / seconds:,.0f} items/s, peak {peak:.2f} GB resident")
    return seconds <= SECONDS_PER_MILLION * max(count / 1e6, 0.01) and peak <= GIGABYTES


def main() -> int:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--baseline-items", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        items = Path(folder) / "items.jsonl"
        write_items(items, arguments.items, arguments.seed)
        start = time.perf_counter()
        manifest = build(plan_for(items, Path(folder)), lambda *_: None)
        fast_enough = report(manifest, time.perf_counter() - start, arguments.items)
        sys.stdout.flush()
        near_duplicate_seconds(items, 1_000)  # the character table is made at the first use
        usual, ours = baseline(items, arguments.baseline_items), near_duplicate_seconds(items, 10_000)
    print(f"near-duplicates, datasketch as documented: {1e3 * usual:.2f} ms an item; ours: {1e3 * ours:.3f} ms")
    print(f"ratio: {usual / ours:.0f}")
    return 0 if fast_enough else 1


if __name__ == "__main__":
    raise SystemExit(main())
