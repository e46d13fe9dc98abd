"""Calibration against hand calculation, scikit-learn and SciPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from babelguard.taxonomy import Category, Taxonomy
from serve.bundle import (
    Calibration,
    FlagThresholds,
    GuardManifest,
    IsotonicColumn,
    LanguageFacts,
    LevelThresholds,
    PlattColumn,
    Thresholds,
    read_bundle,
)
from serve.calibration import Calibrator, calibrate_column, levels_of, non_increasing, sigmoid
from tests.tiny_bundle import make_tiny_bundle

MOOD = Taxonomy(
    "mood",
    (
        Category("Anger", "Anger", "Anger.", ("none", "some", "much", "all")),
        Category("Gloom", "Gloom", "Gloom.", ("none", "some")),
    ),
)
FINITE = st.floats(-60, 60)


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> GuardManifest:
    """Anger has columns 0-2, Gloom column 3; German has its own calibration of Gloom, French its own flags."""
    folder = make_tiny_bundle(
        tmp_path_factory.mktemp("bundle"),
        taxonomy=MOOD,
        calibration=Calibration(
            method="platt",
            pooled={
                "Anger": (PlattColumn(slope=1), PlattColumn(slope=2, intercept=1), PlattColumn(slope=1)),
                "Gloom": (PlattColumn(slope=0.5),),
            },
            languages={"de": {"Gloom": (IsotonicColumn(x=(-1.0, 1.0), y=(0.2, 0.6)),)}},
        ),
        thresholds=Thresholds(
            levels=LevelThresholds(
                pooled={"Anger": (0.5, 0.5, 0.5), "Gloom": (0.5,)}, languages={"de": {"Gloom": (0.4,)}}
            ),
            flags=FlagThresholds(
                above={"Anger": 2, "Gloom": 1},
                pooled={"Anger": 0.7, "Gloom": 0.9},
                languages={"fr": {"Anger": 0.1}},
                fallbacks={"de": "too few items"},
            ),
        ),
        languages={"en": True, "de": True, "fr": False, "zh-Hans": True, "sh": True},
    )
    return read_bundle(folder).manifest


def test_by_hand(manifest: GuardManifest) -> None:
    decided = Calibrator(manifest).decide(np.array([[0.0, 1.0, 2.0, 4.0]]))
    # Anger: sigmoid(0), sigmoid(2 * 1 + 1), sigmoid(2) -> 0.5, then no more than that.
    assert decided.probabilities[0] == pytest.approx([0.5, 0.5, 0.5, 0.8807970779778823])
    assert decided.levels.tolist() == [[4, 2]]
    assert decided.flagged.tolist() == [[False, False]]


def test_a_language_has_its_own_values_category_by_category(manifest: GuardManifest) -> None:
    calibrator = Calibrator(manifest)
    logits = np.array([[3.0, -1.0, -5.0, 0.0]])
    german, pooled = calibrator.decide(logits, "de"), calibrator.decide(logits)
    assert german.probabilities[0, 3] == pytest.approx(0.4)  # halfway between 0.2 and 0.6
    assert german.levels.tolist() == [[2, 2]]
    assert german.probabilities[0, :3] == pytest.approx(pooled.probabilities[0, :3])
    # P(Anger > 2) is sigmoid(-1) = 0.27: flagged in French, from 0.1, and not elsewhere, from 0.7.
    assert calibrator.decide(logits, "fr").flagged.tolist() == [[True, False]]
    assert pooled.flagged.tolist() == [[False, False]]
    assert calibrator.flag_thresholds("fr") == {"Anger": 0.1, "Gloom": 0.9}


@pytest.mark.parametrize(
    ("code", "tag"),
    [
        ("de", "de"), ("DE", "de"), ("deu", "de"), ("deu_Latn", "de"), ("de-AT", "de"), ("fr_CA", "fr"), ("EN", "en"),
        ("zh-CN", "zh-Hans"), ("ZH-Hans", "zh-Hans"), ("zh-TW", None), ("hr", "sh"), ("fi", None), ("xx", None),
        ("und", None), ("und-Cyrl", None), ("und_Latn", None), ("de-CH", "de"), ("deu_CH", "de"), ("de-LI", "de"),
        ("", None), (None, None), ("de-" + "x" * 5000, None), ("\ud800", None), ("de\0", None), ("-", None),
    ],
)  # fmt: skip
def test_languages_are_found_in_any_code(manifest: GuardManifest, code: str | None, tag: str | None) -> None:
    assert Calibrator(manifest).resolve(code) == tag


def test_a_region_that_the_guard_knows_by_itself_keeps_its_own_values(manifest: GuardManifest) -> None:
    facts = {**manifest.languages, "de-CH": LanguageFacts(claimed=False, items=3)}
    calibrator = Calibrator(manifest.model_copy(update={"languages": facts}))
    assert calibrator.resolve("de-CH") == "de-CH"
    assert calibrator.is_pooled("de-CH")
    assert calibrator.resolve("de-AT") == "de"


@given(st.sampled_from(["AT", "CH", "LI", "LU", "BE", "IT", "NA", "US", "150"]), st.sampled_from("-_"))
def test_every_region_of_a_language_has_its_values(manifest: GuardManifest, region: str, between: str) -> None:
    calibrator = Calibrator(manifest)
    for code, tag in (("de", "de"), ("deu", "de"), ("fr", "fr"), ("zh_Hans", "zh-Hans")):
        assert calibrator.resolve(f"{code}{between}{region}") == tag
    assert calibrator.resolve(f"zh-Hant{between}{region}") is None


def test_which_languages_are_pooled(manifest: GuardManifest) -> None:
    calibrator = Calibrator(manifest)
    assert [calibrator.is_pooled(code) for code in ("de", "fr-CA", "en", "fi", None)] == [
        False,
        False,
        True,
        True,
        True,
    ]


def test_what_is_not_a_number_is_no_decision(manifest: GuardManifest) -> None:
    with pytest.raises(ValueError, match="not a number"):
        Calibrator(manifest).decide(np.array([[0.0, np.nan, 0.0, 0.0]]))


def test_infinite_logits_are_certain(manifest: GuardManifest) -> None:
    decided = Calibrator(manifest).decide(np.array([[np.inf, np.inf, -np.inf, np.inf]]), "de")
    assert decided.probabilities[0].tolist() == [1.0, 1.0, 0.0, 0.6]


@given(arrays(np.float64, 5, elements=st.floats(-800, 800)))
@settings(deadline=None)
def test_the_sigmoid_is_scipys(logits: np.ndarray) -> None:
    assert sigmoid(logits) == pytest.approx(expit(logits), abs=1e-15)


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_isotonic_columns_are_scikit_learns(seed: int) -> None:
    random = np.random.default_rng(seed)
    logits, truth = random.normal(size=40), random.integers(0, 2, 40)
    fitted = IsotonicRegression(out_of_bounds="clip").fit(logits, truth)
    column = IsotonicColumn(x=tuple(fitted.X_thresholds_.tolist()), y=tuple(fitted.y_thresholds_.tolist()))
    new = random.normal(scale=2, size=20)
    assert calibrate_column(new, column) == pytest.approx(fitted.predict(new))


@given(arrays(np.float64, (3, 6), elements=st.floats(0, 1)), arrays(np.float64, 6, elements=st.floats(0, 1)))
@settings(deadline=None)
def test_levels_count_leading_columns(probabilities: np.ndarray, thresholds: np.ndarray) -> None:
    categories = {"a": slice(0, 4), "b": slice(4, 6)}
    smoothed = non_increasing(probabilities, categories)
    levels = levels_of(smoothed, thresholds, categories)
    for row in range(3):
        for place, columns in enumerate(categories.values()):
            expected, lowest = 1, 1.0
            going = True
            for column in range(columns.start, columns.stop):
                lowest = min(lowest, probabilities[row, column])
                assert smoothed[row, column] == lowest
                going = going and lowest >= thresholds[column]
                expected += going
            assert levels[row, place] == expected


def test_without_calibration_probabilities_are_sigmoids(tmp_path: Path) -> None:
    manifest = read_bundle(make_tiny_bundle(tmp_path, taxonomy=MOOD, calibration=Calibration())).manifest
    decided = Calibrator(manifest).decide(np.array([[2.0, 0.0, -2.0, 1.0]]))
    assert decided.probabilities[0] == pytest.approx(expit([2.0, 0.0, -2.0, 1.0]))
