"""Labels become levels as the mapping says, and a mapping that does not fit is an error."""

from __future__ import annotations

import numpy as np
import pytest

from babelguard.errors import UserError
from babelguard.taxonomy import RTP_LX
from evaluation.classifying.labels import LabelMap, default_thresholds, make_label_map, model_labels

LABELS = ("ok", "toxic", "severe")
MEANINGS = {"ok": [], "toxic": ["Toxicity", "Insult"], "severe": {"Toxicity": 4}}


def label_map(activation="softmax", thresholds=None, meanings=MEANINGS, labels=LABELS) -> LabelMap:
    return make_label_map(labels, meanings, activation, thresholds or {}, RTP_LX, "some-model")


def test_equal_steps_from_one_half_to_one():
    assert default_thresholds(RTP_LX["Toxicity"]) == (0.5, 0.625, 0.75, 0.875)
    assert default_thresholds(RTP_LX["Insult"]) == (0.5, 0.75)


def test_exclusive_labels_add_up_and_others_do_not():
    row = np.array([[0.3, 0.3, 0.4]])
    assert label_map("softmax").probability("Toxicity", row)[0] == pytest.approx(0.7)
    assert label_map("sigmoid").probability("Toxicity", row)[0] == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("probability", "level"),
    [(0.0, 1), (0.499999, 1), (0.5, 2), (0.63, 3), (0.75, 4), (0.874, 4), (0.875, 5), (1.0, 5)],
)
def test_levels_from_thresholds(probability, level):
    assert label_map().level("Toxicity", probability, (1 - probability, probability, 0.0)) == level


def test_a_label_that_holds_stands_for_its_lowest_level():
    assert label_map("sigmoid").level("Toxicity", 0.55, (0.1, 0.55, 0.2)) == 2
    assert label_map("sigmoid").level("Toxicity", 0.55, (0.1, 0.1, 0.55)) == 4
    assert label_map("sigmoid", {"Toxicity": (0.6, 0.7, 0.8, 0.9)}).level("Toxicity", 0.55, (0.1, 0.1, 0.55)) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": (*LABELS, "new")}, "The model some-model has the label 'new', which 'labels' does not map"),
        ({"labels": ("ok", "toxic")}, "some-model has no label 'severe'; its labels are ok, toxic"),
        ({"meanings": {**MEANINGS, "toxic": ["Toxic"]}}, "'Toxic', which the taxonomy rtp-lx does not have"),
        ({"meanings": {"ok": [], "toxic": [], "severe": []}}, "No label of the model some-model speaks for a category"),
        ({"meanings": {**MEANINGS, "severe": {"Insult": 4}}}, r"labels\.severe: 4 is no level of Insult above 1"),
        ({"meanings": {**MEANINGS, "severe": {"Insult": 1}}}, r"labels\.severe: 1 is no level of Insult above 1"),
        ({"thresholds": {"Insult": (0.5,)}}, r"thresholds\.Insult must be 2 ascending probabilities"),
        ({"thresholds": {"Insult": (0.7, 0.5)}}, r"thresholds\.Insult must be 2 ascending"),
        ({"thresholds": {"Violence": (0.5, 0.7)}}, "thresholds for Violence, which no label of some-model speaks for"),
    ],
)
def test_mappings_that_do_not_fit(changes, message):
    with pytest.raises(UserError, match=message):
        label_map(**changes)


def test_names_for_numbered_outputs():
    assert model_labels(["LABEL_0", "LABEL_1"], ("neutral", "toxic"), "m") == ("neutral", "toxic")
    assert model_labels(["toxic", "neutral"], ("neutral", "toxic"), "m") == ("toxic", "neutral")
    assert model_labels(["a", "b"], None, "m") == ("a", "b")
    with pytest.raises(UserError, match="m has 2 outputs and label_names has 1"):
        model_labels(["LABEL_0", "LABEL_1"], ("toxic",), "m")
    with pytest.raises(UserError, match="m names its labels good, bad, not neutral, toxic"):
        model_labels(["good", "bad"], ("neutral", "toxic"), "m")
