"""The constant rater, and what it shows."""

from __future__ import annotations

from babelguard import RTP_LX, Item
from evaluation.metrics import cohen_kappa, percentage_agreement
from evaluation.rater import Workbench
from evaluation.raters.constant import ConstantOptions, build

BENCH = Workbench(RTP_LX, lambda splits: [])
ITEM = Item("i", "x", "en", "s", "s/1")


def test_every_text_gets_the_level_that_the_scale_allows():
    (low,) = build("calm", ConstantOptions(), BENCH).rate([ITEM])
    (high,) = build("alarm", ConstantOptions(level=5), BENCH).rate([ITEM])
    assert {score.level for score in low.scores.values()} == {1}
    assert high.scores["Toxicity"].level == 5
    assert high.scores["Bias"].level == 3


def test_it_agrees_often_and_by_chance():
    truth = [1] * 9 + [3]
    assert percentage_agreement([1] * 10, truth, levels=3) == 0.9
    assert cohen_kappa([1] * 10, truth, levels=3, weights="linear") == 0.0
