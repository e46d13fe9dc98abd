from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest

from babelguard.errors import UserError
from babelguard.item import Role
from serve.bundle import BundleCategory, Column, GuardManifest, ModelFacts
from serve.calibration import Calibrator
from train.calibrating import CalibrationBlock, CalibrationOptions, fit_block
from train.calibrating.data import benign_items, checked_data, chosen_items
from train.calibrating.level_thresholds import apply_levels
from train.calibrating.probabilities import apply_calibration

CATEGORIES = (
    BundleCategory(name="Toxicity", title="Toxicity", scale=3),
    BundleCategory(name="Insult", title="Insult", scale=2),
)
QUICK = CalibrationOptions(folds=3)


def drawn(contents: int = 120, strictness: tuple[float, ...] = (-1.5, 0.0, 1.5), seed: int = 0) -> dict[str, Any]:
    """Draw texts in some languages: the logits know the truth, and annotators differ in strictness."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(rng.normal(-0.5, 1.5, contents), len(strictness))
    languages = np.tile([f"l{n}" for n in range(len(strictness))], contents)
    shift = np.tile(strictness, contents)
    logits = np.stack([truth + 0.5, truth - 1, truth], axis=1) * 2 + rng.normal(0, 0.7, (len(truth), 3))
    seen = truth + shift + rng.logistic(0, 0.6, len(truth))
    levels = np.stack([1 + (seen > -0.5) + (seen > 1), 1 + (seen > 0)], axis=1).astype(float)
    return {
        "logits": logits,
        "levels": levels,
        "languages": languages.tolist(),
        "benign": (levels == 1).all(axis=1),
        "source_ids": np.repeat([f"c/{n}" for n in range(contents)], len(strictness)).tolist(),
        "categories": CATEGORIES,
    }


def manifest(block: CalibrationBlock) -> GuardManifest:
    return GuardManifest(
        name="tiny",
        version="1",
        created=date(2024, 1, 1),
        licence="MIT",
        taxonomy="tiny",
        categories=CATEGORIES,
        columns=tuple(Column(category=c.name, above=a) for c in CATEGORIES for a in range(1, c.scale)),
        model=ModelFacts(
            files={"fp32": "model.fp32.onnx"}, default="fp32", base_model="b", base_licence="MIT", head="corn",
            window=16, overlap=4, pad_token_id=0, vocabulary=10,
        ),
        calibration=block.calibration,
        thresholds=block.thresholds,
    )  # fmt: skip


@pytest.mark.parametrize("method", ["none", "temperature", "platt", "isotonic"])
def test_what_is_fitted_is_what_is_served(method: str) -> None:
    given = drawn()
    block = fit_block(**given, options=QUICK.model_copy(update={"method": method}))
    data = checked_data(**given)
    probabilities = apply_calibration(block.calibration, data)
    levels = apply_levels(probabilities, data, block.thresholds.levels)
    calibrator = Calibrator(manifest(block))
    for tag in data.tags:
        rows = data.languages == tag
        served = calibrator.decide(data.logits[rows], tag)
        assert served.probabilities == pytest.approx(probabilities[rows])
        assert (served.levels == levels[rows]).all()


def test_languages_that_differ_get_their_own_values() -> None:
    block = fit_block(**drawn(), options=QUICK)
    chosen = {selection.what: selection.chosen for selection in block.selections}
    assert chosen["calibration"].startswith("deviation")
    first = [block.calibration.languages[tag]["Insult"][0] for tag in ("l0", "l1", "l2")]
    intercepts = [column.intercept for column in first]  # type: ignore[union-attr]
    assert intercepts == sorted(intercepts)


def test_languages_that_do_not_differ_share_all() -> None:
    block = fit_block(**drawn(strictness=(0.0, 0.0, 0.0)), options=QUICK)
    of_levels = next(selection for selection in block.selections if selection.what == "levels")
    # The best of ten choices is a little better than pooled by chance; languages that differ gain ten times as much.
    assert max(choice.gain for choice in of_levels.choices) < 0.05


def test_pooled_on_request() -> None:
    never = {"per_language": "never"}
    options = CalibrationOptions.model_validate({**never, "levels": {"rule": "pooled"}, "flags": never, "folds": 3})
    block = fit_block(**drawn(), options=options)
    assert not block.calibration.languages
    assert not block.thresholds.levels.languages
    assert not block.thresholds.flags.languages
    assert set(block.thresholds.flags.fallbacks) == {"l0", "l1", "l2"}


@pytest.mark.parametrize("rule", ["shares", "kappa"])
def test_a_named_rule_is_kept_though_it_gains_nothing(rule: str) -> None:
    options = CalibrationOptions.model_validate({"folds": 3, "levels": {"rule": rule, "shrinkage": [10, 300]}})
    block = fit_block(**drawn(strictness=(0.0, 0.0, 0.0)), options=options)
    of_levels = next(selection for selection in block.selections if selection.what == "levels")
    assert [choice.name for choice in of_levels.choices] == ["pooled", f"{rule}, k = 10", f"{rule}, k = 300"]
    assert of_levels.chosen.startswith(f"{rule}, ")
    assert set(block.thresholds.levels.languages) == {"l0", "l1", "l2"}
    assert any(f"the rule {rule}" in remark for remark in block.remarks)


def test_level_thresholds_of_some_items_are_those_of_a_split_of_these_items() -> None:
    given = drawn()
    options = CalibrationOptions.model_validate({"method": "none", "folds": 3, "levels": {"rule": "shares"}})
    first = np.arange(len(given["languages"])) < 180
    some = fit_block(**given, options=options, for_levels=first)
    alone = {
        name: [value for value, kept in zip(values, first, strict=True) if kept]
        for name, values in given.items()
        if name != "categories"
    }
    assert some.thresholds.levels == fit_block(**alone, categories=CATEGORIES, options=options).thresholds.levels
    everything = fit_block(**given, options=options)
    assert some.thresholds.levels != everything.thresholds.levels
    assert some.reliability == everything.reliability
    assert some.thresholds.flags == everything.thresholds.flags


def test_roles_and_registers_choose_what_level_thresholds_are_fitted_on() -> None:
    roles = ["prompt", "prompt", "benign-completion"]
    registers = ["neutral", "leet", "neutral"]
    assert chosen_items(roles, registers, None, None).tolist() == [True, True, True]
    assert chosen_items(roles, registers, (Role.PROMPT,), None).tolist() == [True, True, False]
    assert chosen_items(roles, registers, (Role.PROMPT,), ("neutral",)).tolist() == [True, False, False]


def test_no_level_to_fit_thresholds_on_is_a_sentence() -> None:
    given = drawn(20)
    with pytest.raises(UserError, match=r"calibration\.roles or calibration\.registers"):
        fit_block(**given, options=QUICK, for_levels=np.zeros(60, dtype=bool))


def test_flags_keep_to_the_target_on_other_texts() -> None:
    options = CalibrationOptions.model_validate({"folds": 3, "flags": {"target_false_positives": 0.05}})
    block = fit_block(**drawn(400), options=options)
    other = drawn(2000, seed=1)
    calibrator = Calibrator(manifest(block))
    tags = np.array(other["languages"])
    flagged = np.concatenate(
        [
            calibrator.decide(other["logits"][(tags == tag) & other["benign"]], tag).flagged.any(axis=1)
            for tag in ("l0", "l1", "l2")
        ]
    )
    assert flagged.mean() == pytest.approx(0.05, abs=0.025)


def test_a_content_of_another_split_is_refused() -> None:
    with pytest.raises(UserError, match=r"1 source_ids .* such as 'c/7'"):
        fit_block(**drawn(), options=QUICK, elsewhere={"c/7", "d/1"})


def test_a_category_without_levels_is_told_and_left_alone() -> None:
    given = drawn(60)
    given["levels"][:, 1] = np.nan
    block = fit_block(**given, options=QUICK)
    assert any("Insult" in remark and "not calibrated" in remark for remark in block.remarks)
    assert block.thresholds.levels.pooled["Insult"] == (0.5,)


def test_without_a_benign_text_flags_follow_the_levels() -> None:
    given = drawn(60)
    given["benign"][:] = False
    flags = fit_block(**given, options=QUICK).thresholds.flags
    assert flags.operating_point.target_false_positives is None
    assert "no benign item" in flags.fallbacks["l0"]


def test_one_content_is_enough_to_run() -> None:
    block = fit_block(**drawn(1), options=QUICK)
    assert block.thresholds.flags.pooled


@pytest.mark.parametrize(
    ("change", "message"),
    [({"levels": [[9.0, 1.0]]}, "off the scale"), ({"logits": [[0.0, np.nan, 0.0]]}, "not a number")],
)
def test_wrong_values_are_sentences(change: dict[str, Any], message: str) -> None:
    given = {"logits": [[0.0, 0.0, 0.0]], "levels": [[1.0, 1.0]], "languages": ["en"], "benign": [True]}
    with pytest.raises(UserError, match=message):
        fit_block(**{**given, **change}, source_ids=["a"], categories=CATEGORIES, options=QUICK)


def test_an_empty_split_is_a_sentence() -> None:
    with pytest.raises(UserError, match="no items"):
        fit_block(np.empty((0, 3)), np.empty((0, 2)), [], np.empty(0), [], CATEGORIES)


def test_benign_are_benign_completions_and_texts_at_level_one() -> None:
    nan = np.nan
    levels = [[1, 1], [1, nan], [nan, nan], [2, 1], [nan, nan]]
    roles = ["prompt", "prompt", "prompt", "prompt", "benign-completion"]
    assert benign_items(roles, levels).tolist() == [True, True, False, False, True]
