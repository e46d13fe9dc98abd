"""Generative guards: a causal model that writes its verdict, in the judge's or in Llama Guard's format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from train.generative.export_options import GenerativeExportOptions
from train.generative.options import GenerativeOptions
from train.kind import GuardKind
from train.recipe import TrainPlan


def train(plan: TrainPlan[GenerativeOptions]) -> Path:
    """Train; see `train.generative.training.train`."""
    from train.generative.training import train as train_generative

    return train_generative(plan)


def work(plan: TrainPlan[GenerativeOptions]) -> Sequence[str]:
    """Return what a training would do, without loading the model."""
    from train.corpus import read_corpus

    corpus = read_corpus(plan)
    counts = ", ".join(f"{split} {len(items):,}" for split, items in corpus.items.items())
    options = plan.options
    how = "all weights" if options.lora is None else f"LoRA of rank {options.lora.rank}"
    if options.lora is not None and options.lora.four_bit:
        how = f"Q{how}"
    said = [
        f"Would fine-tune {options.model.base} ({how}) to answer in the format {options.answer.format}.",
        f"Items: {counts}.",
    ]
    if options.preference is not None:
        said.append("Then a preference step (DPO) on pairs of completions.")
    return [*said, *corpus.remarks]


KIND = GuardKind(options=GenerativeOptions, export=GenerativeExportOptions, train=train, work=work)
