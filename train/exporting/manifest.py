"""What a bundle's `guard.json` says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, date, datetime

from serve.bundle import (
    Column,
    DataSource,
    GuardManifest,
    LanguageFacts,
    ModelFacts,
    Precision,
    PrecisionCheck,
)
from train.corpus import TrainingCorpus
from train.exporting.trained_run import TrainedRun


def make_manifest(
    run: TrainedRun, corpus: TrainingCorpus, facts: ModelFacts, checks: Mapping[Precision, PrecisionCheck]
) -> GuardManifest:
    """Return the manifest of a bundle.

    A language is claimed if the guard was trained on it, unless the recipe's export names those to claim.

    Args:
        run: The run.
        corpus: Its corpus.
        facts: Files, tokenizer and windows.
        checks: What each precision does on the evaluation split.
    """
    recipe, options = run.plan.recipe, run.options
    return GuardManifest(
        name=recipe.name,
        version=recipe.version,
        created=_today(),
        licence=recipe.licence or "unknown",
        taxonomy=run.plan.taxonomy.name,
        categories=run.categories,
        columns=tuple(
            Column(category=category.name, above=above)
            for category in run.categories
            for above in range(1, category.scale)
        ),
        model=facts,
        calibration=run.block.calibration,
        thresholds=run.block.thresholds,
        languages=_languages(corpus, options.claimed),
        data=tuple(
            DataSource.model_validate({key: row[key] for key in ("source", "licence", "items")})
            for row in corpus.sources
        ),
        verification=dict(checks),
    )


def _languages(corpus: TrainingCorpus, claimed: tuple[str, ...] | None) -> dict[str, LanguageFacts]:
    trained: dict[str, int] = {}
    tested: dict[str, int] = {}
    for counts, split in ((trained, "train"), (tested, "test")):
        for item in corpus.items[split]:  # type: ignore[index]
            counts[item.language] = counts.get(item.language, 0) + 1
    known = set(trained) if claimed is None else set(claimed)
    return {
        tag: LanguageFacts.model_validate(
            {"claimed": tag in known, "items": tested.get(tag, 0), "training_items": trained.get(tag, 0)}
        )
        for tag in sorted({*trained, *tested})
    }


def _today() -> date:
    """Return today's date, or that of SOURCE_DATE_EPOCH, which makes builds repeatable."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC).date() if epoch.isdecimal() else datetime.now(UTC).date()
