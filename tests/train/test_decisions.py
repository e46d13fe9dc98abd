"""Decisions from predictions are those that a bundle makes, and intervals hold the figures that they belong to."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from babelguard.item import Item
from babelguard.taxonomy import RTP_LX
from evaluation.metrics import cohen_kappa
from serve.calibration import Calibrator
from train.calibrating import fit_block
from train.calibrating.options import CalibrationOptions, FlagOptions, LevelOptions
from train.classifier.columns import Columns
from train.decisions import bundle_categories, decide
from train.figures import Rated
from train.intervals import ALL, language_intervals
from train.predictions import Predictions, read_predictions, write_predictions

COLUMNS = Columns.of(RTP_LX)


def predictions(count: int = 300) -> Predictions:
    rng = np.random.default_rng(0)
    items = [
        Item(str(n), "a", ("en", "de", "sw")[n % 3], "s", f"s/{n // 3}", register=("neutral", "leet")[n % 2])
        for n in range(count)
    ]
    levels = np.stack([rng.integers(1, scale + 1, count) for scale in COLUMNS.scales], axis=1).astype(float)
    shift = {"en": -1.0, "de": 0.0, "sw": 1.0}
    logits = rng.normal(0, 1, (count, 18))
    for category, part in enumerate(COLUMNS.slices):
        above = np.arange(1, COLUMNS.scales[category])
        logits[:, part] += levels[:, category, None] - above - 0.5
    logits += np.array([shift[item.language] for item in items])[:, None]
    levels[::7, 2] = np.nan
    return Predictions.of(items, COLUMNS.titles, logits.astype(np.float32), COLUMNS.names, levels)


def test_predictions_survive_their_file(tmp_path: Path) -> None:
    made = predictions(20)
    write_predictions(made, tmp_path / "predictions" / "test.parquet")
    read = read_predictions(tmp_path / "predictions" / "test.parquet")
    for name in ("items", "source_ids", "languages", "roles", "registers", "sources", "benign", "logits", "levels"):
        np.testing.assert_array_equal(getattr(read, name), getattr(made, name))
    assert (read.titles, read.categories) == (made.titles, made.categories)


def test_decisions_are_those_of_a_bundle() -> None:
    from serve import bundle

    made = predictions()
    block = fit_block(
        made.logits,
        made.levels,
        made.languages.tolist(),
        np.zeros(len(made), dtype=bool),
        made.source_ids.tolist(),
        bundle_categories(RTP_LX),
        CalibrationOptions(
            folds=2,
            deviations=(1.0,),
            levels=LevelOptions(shrinkage=(10.0,), candidates=5),
            flags=FlagOptions(shrinkage=(50.0,)),
        ),
    )
    manifest = bundle.GuardManifest(
        name="x",
        version="1",
        created=date(2026, 1, 1),
        licence="x",
        taxonomy="rtp-lx",
        categories=bundle_categories(RTP_LX),
        columns=tuple(bundle.Column(category=name, above=above) for name, above in COLUMNS.pairs),
        model=bundle.ModelFacts(
            files={"fp32": "model.fp32.onnx"},
            default="fp32",
            base_model="x",
            base_licence="x",
            head="cumulative",
            window=32,
            overlap=8,
            prefix="",
            pad_token_id=0,
            vocabulary=10,
        ),
        calibration=block.calibration,
        thresholds=block.thresholds,
    )
    levels, probabilities = decide(block, made, RTP_LX)
    for tag in ("en", "de", "sw"):
        rows = made.languages == tag
        found = Calibrator(manifest).decide(made.logits[rows], tag)
        np.testing.assert_array_equal(found.levels, levels[rows])
        np.testing.assert_allclose(found.probabilities, probabilities[rows])


def test_intervals_hold_the_figures_of_the_metrics() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 3, (120, 8))
    levels = np.where(rng.random((120, 8)) < 0.8, truth, 3 - truth)
    languages = np.array(["en", "de"])[np.arange(120) % 2]
    benign = np.arange(120) < 40
    rated = Rated(levels, truth, np.full((120, 8), np.nan), languages, benign, np.empty((0, 2), dtype=np.int64))
    keys = np.array([f"s/{n // 2}" for n in range(120)])
    found = language_intervals(rated, keys, RTP_LX, replicates=200)
    assert set(found) == {ALL, "en", "de"}
    rows = languages == "de"
    scales = [category.scale for category in RTP_LX]
    kappas = [cohen_kappa(levels[rows, c], truth[rows, c], levels=k, weights="linear") for c, k in enumerate(scales)]
    estimate, low, high = found["de"]["linear_kappa"]
    assert estimate == pytest.approx(np.mean(kappas))
    assert low < estimate < high
    flagged = (levels[benign] > 1).any(axis=1).mean()
    assert found[ALL]["false_positive_rate"][0] == pytest.approx(flagged)
