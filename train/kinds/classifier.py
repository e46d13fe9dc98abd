"""A classifier: an encoder or decoder with ordinal heads over all categories at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from train.classifier.options import ClassifierOptions
from train.exporting.options import ExportOptions
from train.kind import GuardKind
from train.recipe import TrainPlan


def train(plan: TrainPlan[ClassifierOptions]) -> Path:
    """Train it; see `train.classifier.loop.train`."""
    from train.classifier.loop import train as run

    return run(plan)


def work(plan: TrainPlan[ClassifierOptions]) -> list[str]:
    """Return what training would do."""
    return list(_work(plan))


def _work(plan: TrainPlan[ClassifierOptions]) -> Iterator[str]:
    from train.corpus import read_corpus

    corpus = read_corpus(plan)
    for split, items in corpus.items.items():
        languages = {item.language for item in items}
        yield f"{split}: {len(items):,} items in {len(languages)} languages"
    for source in corpus.sources:
        yield f"  {source['source']}: {source['items']:,} training items, {source['licence']}"
    yield from (f"- {remark}" for remark in corpus.remarks)
    pace = plan.recipe.optimisation
    how_long = f"{pace.max_steps:,} steps" if pace.max_steps else f"{pace.epochs:g} passes"
    yield f"Would train {plan.options.model.base} for {how_long}."


KIND = GuardKind(options=ClassifierOptions, export=ExportOptions, train=train, work=work)
