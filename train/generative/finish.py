"""After training: the held-out splits rated, the threshold, the figures and the model card."""

from __future__ import annotations

import json
from typing import Any

from evaluation.run_folder import RunFolder
from train.corpus import TrainingCorpus
from train.corpus_recipe import Split
from train.generative.card import card
from train.generative.guard_form import GuardForm
from train.generative.load import load_trained
from train.generative.options import GenerativeOptions
from train.generative.rating import rate
from train.generative.spec import spec_text
from train.generative.threshold import choose_threshold
from train.recipe import TrainPlan
from train.run_spec import FILE


def finish(plan: TrainPlan[GenerativeOptions], corpus: TrainingCorpus, folder: RunFolder) -> None:
    """Write predictions, metrics, the threshold and the card into a run's folder."""
    guard = load_trained(folder.path, device="auto")
    spec, form = guard.spec, guard.form
    trained = json.loads((folder.path / "trained.json").read_text(encoding="utf-8"))
    splits: dict[str, Any] = {}
    remarks = list(trained["remarks"])
    tokens = plan.options.selection.batch_tokens
    held_out: tuple[Split, ...] = ("calibration", "test")
    for split in held_out:
        items = corpus.items[split]
        if not items:
            continue
        rated = rate(items, form, guard.model, guard.tokenizer, tokens, f"rating {split}")
        rated.write(folder.path / "predictions" / f"{split}.parquet", plan.taxonomy)
        splits[split] = {**rated.figures(plan.taxonomy), "intervals": rated.intervals(plan.taxonomy)}
        if split == "calibration" and isinstance(form, GuardForm):
            found = choose_threshold(rated, spec.answer, plan.taxonomy)
            spec = spec.model_copy(update={"threshold": found.value, "threshold_reason": found.reason})
            form = form.at(found.value)
            folder.write_text(FILE, spec_text(spec))
            remarks.append(found.reason)
    record = {
        "selection": {
            key: trained[key] for key in ("metric", "value", "stage", "checkpoint", "steps", "planned_steps")
        },
        "stages": trained["stages"],
        "items": {split: len(items) for split, items in corpus.items.items()},
        "sources": corpus.sources,
        "splits": splits,
        "remarks": remarks,
    }
    folder.write_text("metrics.json", json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    folder.write_text("README.md", card(plan.recipe, spec, record))
