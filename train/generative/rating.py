"""Lets a guard in memory rate items, through the rater that will read it when it is exported."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from babelguard.item import Item
from babelguard.local_models.loading import LoadedModel
from babelguard.local_models.local_model import LocalModel
from babelguard.progress import progress
from babelguard.rating import Rating
from babelguard.taxonomy import Taxonomy
from evaluation.metrics.levels import MISSING
from train.classifier.judging import Reference
from train.figures import Rated, figures_of
from train.generative.form import Form
from train.intervals import language_intervals

AT_ONCE = 256
"""Items handed to the rater at once; those of one batch share the states of their prompts' beginning."""


@dataclass(frozen=True)
class RatedItems:
    """Items and their ratings, in one order."""

    items: Sequence[Item]
    ratings: Sequence[Rating]

    def rated(self, categories: Taxonomy) -> Rated:
        """Return levels and chances as arrays, beside what people said."""
        reference = Reference.of(list(self.items), categories)
        levels = np.full(reference.truth.shape, MISSING, dtype=np.int64)
        chances = np.full(reference.truth.shape, np.nan)
        for row, rating in enumerate(self.ratings):
            for column, name in enumerate(categories.names):
                score = rating.scores[name]
                if score.level is not None:
                    levels[row, column] = score.level
                if score.probability is not None:
                    chances[row, column] = score.probability
        return Rated(levels, reference.truth, chances, reference.languages, reference.benign, reference.twins)

    def figures(self, categories: Taxonomy) -> dict[str, Any]:
        """Return the figures, see `train.figures.figures_of`, and how many ratings have which status."""
        statuses = Counter(score.status.value for rating in self.ratings for score in rating.scores.values())
        return {**figures_of(self.rated(categories), categories), "statuses": dict(sorted(statuses.items()))}

    def intervals(self, categories: Taxonomy) -> dict[str, dict[str, Any]]:
        """Return figures by language with 95% intervals, see `train.intervals.language_intervals`."""
        source_ids = np.array([item.source_id for item in self.items], dtype=np.str_)
        return language_intervals(self.rated(categories), source_ids, categories)

    def write(self, path: Path, categories: Taxonomy) -> None:
        """Write one row an item as Parquet: what the guard said, and what people said; no texts."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns: dict[str, list[Any]] = {
            "item": [item.id for item in self.items],
            "source_id": [item.source_id for item in self.items],
            "language": [item.language for item in self.items],
            "role": [item.role.value for item in self.items],
            "register": [item.register for item in self.items],
            "source": [item.source for item in self.items],
        }
        truth = [item.aggregated_labels() for item in self.items]
        for name in categories.names:
            scores = [rating.scores[name] for rating in self.ratings]
            columns[f"rated:{name}"] = [score.level for score in scores]
            columns[f"chance:{name}"] = [score.probability for score in scores]
            columns[f"status:{name}"] = [score.status.value for score in scores]
            columns[f"level:{name}"] = [row[name].level if name in row else None for row in truth]
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.partial")
        pq.write_table(pa.table(columns), partial)
        partial.replace(path)


def rate(
    items: Sequence[Item],
    form: Form,
    model: Any,  # noqa: ANN401 - a transformers model
    tokenizer: Any,  # noqa: ANN401 - a transformers tokenizer
    batch_tokens: int | None,
    label: str = "rating",
) -> RatedItems:
    """Rate items with a model in memory, adapter included; the model is in evaluation mode meanwhile.

    Args:
        items: The items.
        form: The format of answers.
        model: `transformers.PreTrainedModel`; of a peft model its base model, into which the adapter is injected.
        tokenizer: `transformers.PreTrainedTokenizerBase`.
        batch_tokens: Tokens at once; by device if `None`.
        label: Names the work while it goes on.
    """
    import torch

    if not items:
        return RatedItems((), ())
    tokens = batch_tokens or (1024 if model.device.type == "cpu" else 8192)
    training = model.training
    model.eval()
    try:
        local = LocalModel(LoadedModel("guard-in-training", model, tokenizer), batch_tokens=tokens)
        rater = form.rater("guard-in-training", local)
        ratings: list[Rating] = []
        with torch.inference_mode(), progress(label, len(items)) as bar:
            for start in range(0, len(items), AT_ONCE):
                ratings += rater.rate(items[start : start + AT_ONCE])
                bar.advance(min(AT_ONCE, len(items) - start))
    finally:
        model.train(training)
    return RatedItems(items, ratings)


def some_source_ids(items: Sequence[Item], most: int | None) -> list[Item]:
    """Return the items of at most so many source_ids, chosen by hash: a larger number keeps a smaller one's."""
    if most is None:
        return list(items)
    keys = {item.source_id for item in items}
    kept = set(sorted(keys, key=lambda key: hashlib.blake2b(key.encode("utf-8"), digest_size=8).digest())[:most])
    return [item for item in items if item.source_id in kept]
