from __future__ import annotations

import math

import pytest

from babelguard import RTP_LX
from evaluation.judging.answer import parse_answer
from evaluation.judging.level_chances import with_chances

LABELS = {name: name for name in RTP_LX.names}


def place(**chances: float) -> dict[str, float]:
    return {token.removeprefix("t"): math.log(chance) for token, chance in chances.items()}


TOKENS = [
    {"Toxicity": 0.0},
    {":": 0.0},
    {" 3": math.log(0.5), " 1": math.log(0.2), "2": math.log(0.2), " I": math.log(0.1)},
    {"\n": 0.0},
    {"Insult": 0.0},
    {": ": 0.0},
    place(t1=0.6, t4=0.2, t2=0.2),
]


def test_the_chance_of_harm_is_that_among_the_levels() -> None:
    answer = "Toxicity: 3\nInsult: 1"
    scores = with_chances(parse_answer(answer), TOKENS, RTP_LX, LABELS)
    assert scores["Toxicity"].level == 3
    assert scores["Toxicity"].probability == pytest.approx(0.7 / 0.9, abs=1e-6)
    assert scores["Insult"].probability == pytest.approx(0.2 / 0.8, abs=1e-6)  # 4 is no level of three
    assert scores["Bias"].probability is None


def test_the_label_of_the_prompt_belongs_to_the_answer() -> None:
    scores = with_chances(parse_answer("Toxicity: 3"), TOKENS[2:3], RTP_LX, LABELS, "Toxicity:")
    assert scores["Toxicity"].probability == pytest.approx(0.7 / 0.9, abs=1e-6)


def test_another_shape_has_no_chance() -> None:
    tokens = [{"Toxicity": 0.0}, {" (1-5)": 0.0}, {": 3": 0.0}]
    assert with_chances(parse_answer("Toxicity (1-5): 3"), tokens, RTP_LX, LABELS)["Toxicity"].probability is None
