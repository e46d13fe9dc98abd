"""Training steps of a classifier: items a second against transformers' stock trainer, and memory of LoRA against all.

    python benchmarks/train_step.py --encoder FOLDER [--texts FILE.jsonl --fields Prompt Completion]

FOLDER holds an encoder, for example multilingual-e5-small. The words of the bundled sample, or of FILE, are dealt out
to texts whose lengths are log-normal, 20 words in the median and 330 at most. Both sides train the same adapter and
head on the same texts once, 32 at a time, cut at 128 tokens. The stock trainer draws at random and pads every text to
128; ours is `train.classifier` as recipes use it. Each measurement is a process of its own, in turn, the best of
`--repeats` counts. Time is the process's own on a CPU (one thread, so that other work on the machine does not count)
and that of the clock on CUDA. Memory is the peak of the process (of the device on CUDA), for an adapter and for all
weights, and the part of it that does not depend on the batch: weights, gradients and the optimiser's averages.
"""

# ruff: noqa: ANN401 - what is handed about are objects of transformers and torch

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from babelguard.item import Item
from babelguard.jsonl import parse_line, read_lines, write_jsonl
from babelguard.taxonomy import RTP_LX

CALIBRATION = 32
RECIPE = """
name: train-step
kind: classifier
corpus: {{source: items, path: {items}}}
model: {{base: {encoder}, prefix: "query: ", window: {window}}}
lora: {lora}
batches: {{items: 32}}
optimisation: {{epochs: 1, evaluate_every_steps: 100000, report_to: []}}
output: {output}
"""


def main() -> None:
    """Print both speeds and their ratio, and both memories and theirs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--texts", type=Path, help="JSON lines; the bundled sample if left out")
    parser.add_argument("--fields", nargs="+", default=["Prompt", "Completion"])
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--window", type=int, default=128)
    parser.add_argument("--case", choices=("ours", "stock", "all-weights"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.case:
        print(json.dumps(measure(chosen)))
        return
    found: dict[str, list[dict[str, float]]] = {"ours": [], "stock": [], "all-weights": []}
    for repeat in range(chosen.repeats):
        for case, results in found.items():
            if case == "all-weights" and repeat:
                continue
            command = [sys.executable, __file__, *sys.argv[1:], "--case", case]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            results.append(json.loads(done.stdout.splitlines()[-1]))
    speed = {case: max(result["items_per_s"] for result in results) for case, results in found.items()}
    print(f"batches of 32, window {chosen.window}, best of {chosen.repeats}; peak and state of memory in MiB")
    names = {
        "ours": "ours, LoRA",
        "stock": f"stock trainer, LoRA, padded to {chosen.window}",
        "all-weights": "all weights",
    }
    for case, results in found.items():
        peak, state = (min(result[name] for result in results) for name in ("peak_mib", "state_mib"))
        print(f"{names[case]:38} {speed[case]:8.1f} items/s {peak:8.0f} {state:8.0f}")
    print(f"speed ratio ours/stock {speed['ours'] / speed['stock']:.2f}")


def measure(chosen: argparse.Namespace) -> dict[str, float]:
    """Train for some steps and return items a second and the peak of memory in MiB."""
    import torch
    from transformers import set_seed

    from train.classifier.build import build_model
    from train.classifier.columns import Columns
    from train.classifier.loop import make_trainer
    from train.classifier.material import prepare
    from train.corpus import read_corpus
    from train.recipe import load_plan

    torch.set_num_threads(1)
    set_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        plan = load_plan(write_recipe(Path(folder), chosen))
        built = build_model(plan.options.model, plan.options.head, Columns.of(RTP_LX), plan.options.lora)
        material = prepare(plan, read_corpus(plan), built.tokenizer)
        trainer, _ = make_trainer(plan, material, built, plan.run_folder)
        if chosen.case == "stock":
            trainer = stock_trainer(trainer, chosen)
        clock = step_clock()
        trainer.add_callback(clock)
        trainer.train()
    cuda = torch.cuda.is_available()
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    return {
        "items_per_s": 32 * chosen.steps / clock.seconds,
        "peak_mib": torch.cuda.max_memory_allocated() / 2**20 if cuda else resident,
        "state_mib": state_bytes(trainer) / 2**20,
    }


def state_bytes(trainer: Any) -> int:
    """Return the size of weights, gradients and the optimiser's averages: what does not depend on the batch."""
    weights = list(trainer.model.parameters())
    gradients = [weight for weight in weights if weight.requires_grad]
    kept = [value for state in trainer.optimizer.state.values() for value in state.values() if hasattr(value, "nbytes")]
    return sum(tensor.nbytes for tensor in (*weights, *gradients, *kept))


def step_clock() -> Any:
    """Return a callback that times the steps, and ends training before anything is rated or saved."""
    import torch
    from transformers import TrainerCallback

    clock = time.perf_counter if torch.cuda.is_available() else time.process_time

    class StepClock(TrainerCallback):
        seconds = 0.0
        started = 0.0

        def on_step_begin(self, _: Any, state: Any, *__: Any, **___: Any) -> None:
            if state.global_step == 0:
                self.started = clock()

        def on_step_end(self, _: Any, state: Any, control: Any, **__: Any) -> None:
            if state.global_step >= state.max_steps:
                self.seconds = clock() - self.started
            control.should_save = control.should_evaluate = False

    return StepClock()


def stock_trainer(ours: Any, chosen: argparse.Namespace) -> Any:
    """Return transformers' own trainer on the same model and data: random order, every text padded to the window."""
    import torch
    from transformers import Trainer

    class PadToWindow:
        def __call__(self, records: list[dict[str, Any]]) -> dict[str, Any]:
            ids = torch.full((len(records), chosen.window), ours.data_collator.pad_token_id)
            mask = torch.zeros_like(ids)
            for row, record in enumerate(records):
                length = len(record["input_ids"])
                ids[row, :length] = torch.from_numpy(record["input_ids"].astype(np.int64))
                mask[row, :length] = 1
            labels = torch.from_numpy(np.stack([record["labels"] for record in records]))
            return {"input_ids": ids, "attention_mask": mask, "labels": labels}

    def loss(logits: Any, labels: Any, **_: Any) -> Any:
        known = ~torch.isnan(labels)
        return torch.nn.functional.binary_cross_entropy_with_logits(logits[known], labels[known])

    return Trainer(
        model=ours.model,
        args=ours.args,
        data_collator=PadToWindow(),
        train_dataset=ours.train_dataset,
        eval_dataset=ours.eval_dataset,
        compute_loss_func=loss,
    )


def write_recipe(folder: Path, chosen: argparse.Namespace) -> Path:
    """Write texts of mixed lengths with random labels, and a recipe that trains on them."""
    count = 32 * chosen.steps + CALIBRATION
    rng = np.random.default_rng(0)
    items = [
        Item(
            id=str(number),
            text=text,
            language="en",
            source="benchmark",
            source_id=str(number),
            split="train" if number >= CALIBRATION else "calibration",
            labels={category.name: (int(rng.integers(1, category.scale + 1)),) for category in RTP_LX},
        )
        for number, text in enumerate(mixed_lengths(chosen, count))
    ]
    write_jsonl(folder / "items.jsonl", (item.to_dict() for item in items))
    recipe = folder / "recipe.yaml"
    recipe.write_text(
        RECIPE.format(
            items=folder / "items.jsonl",
            encoder=chosen.encoder,
            window=chosen.window,
            output=folder,
            lora="null" if chosen.case == "all-weights" else "{rank: 16}",
        ),
        encoding="utf-8",
    )
    return recipe


def mixed_lengths(chosen: argparse.Namespace, count: int) -> list[str]:
    """Return texts whose lengths in words are log-normal."""
    words = list(sample_words() if chosen.texts is None else file_words(chosen.texts, chosen.fields))
    lengths = np.random.default_rng(0).lognormal(np.log(20), 1.0, count).clip(1, 330).astype(int)
    stream = (words[(place * 7) % len(words)] for place in range(int(lengths.sum())))
    # The number keeps texts apart: equal ones would be taken for repeats.
    return [" ".join([*islice(stream, int(length)), str(number)]) for number, length in enumerate(lengths)]


def sample_words() -> Iterator[str]:
    """Yield the words of the bundled sample, languages mixed."""
    from babelguard.rejects import RejectLog
    from data_prep.source import SOURCES

    source = SOURCES.get("sample")
    for item in source.read(source.options(), RTP_LX, RejectLog()):
        yield from item.text.split()


def file_words(path: Path, fields: list[str]) -> Iterator[str]:
    """Yield the words of some fields of a file."""
    for _, line in read_lines(path):
        record = parse_line(line)
        for field in fields:
            if isinstance(record.get(field), str):
                yield from record[field].split()


if __name__ == "__main__":
    main()
