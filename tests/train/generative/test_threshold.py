"""The operating point: the lowest threshold that flags no more harmless items than the recipe allows."""

from __future__ import annotations

import pytest

from babelguard.item import Item, Role
from babelguard.rating import Rating, Score
from babelguard.taxonomy import RTP_LX
from evaluation.rater import complete
from train.generative.options import AnswerRecipe
from train.generative.rating import RatedItems
from train.generative.threshold import choose_threshold


def rated(chances: list[float], role: Role = Role.BENIGN_COMPLETION, level: int = 1) -> RatedItems:
    items = [
        Item(f"i/{n}", "text", "en", "made", f"i/{n}", role=role, labels={"Toxicity": (level,)})
        for n in range(len(chances))
    ]
    ratings = [
        Rating("guard", item.id, complete(RTP_LX, {"Toxicity": Score(1, probability=chance)}))
        for item, chance in zip(items, chances, strict=True)
    ]
    return RatedItems(items, ratings)


def threshold_of(ratings: RatedItems, share: float) -> tuple[float, str]:
    found = choose_threshold(ratings, AnswerRecipe(format="llama-guard", target_false_positives=share), RTP_LX)
    return found.value, found.reason


def test_one_in_ten_may_be_flagged() -> None:
    value, reason = threshold_of(rated([0.9, 0.8, *[0.1] * 18]), 0.1)
    assert 0.1 < value <= 0.100001
    assert "flags 2 of 20 harmless items" in reason


def test_ties_at_the_border_are_not_flagged() -> None:
    value, reason = threshold_of(rated([0.9, 0.7, 0.7, *[0.1] * 17]), 0.1)
    assert value == pytest.approx(0.700001)
    assert "flags 1 of 20 harmless items" in reason


def test_too_few_harmless_items_say_so() -> None:
    value, reason = threshold_of(rated([0.9] * 20), 0.01)
    assert value == 0.5
    assert "20 harmless items of the calibration split are too few" in reason
    assert "(100 are needed)" in reason


def test_without_benign_completions_items_without_a_violation_are_harmless() -> None:
    assert "flags 0 of 10 harmless" in threshold_of(rated([0.3] * 10, Role.PROMPT), 0.1)[1]
    assert "0 harmless items" in threshold_of(rated([0.3] * 10, Role.PROMPT, level=4), 0.1)[1]
