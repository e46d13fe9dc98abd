from __future__ import annotations

import json
import math

import pytest

from babelguard import RTP_LX
from babelguard.local_models.choosing import Choice
from evaluation.judging.answer import parse_answer
from evaluation.judging.scoring import answer_lines, record_of, scores_of

LABELS = {name: name for name in RTP_LX.names}


def choice(*chances: float) -> Choice:
    return Choice(max(range(len(chances)), key=chances.__getitem__), tuple(map(math.log, chances)))


CHOICES = [choice(0.1, 0.2, 0.4, 0.2, 0.1), *[choice(0.5, 0.25, 0.25)] * 7]


def test_the_skeleton_is_an_answer_that_the_parser_reads() -> None:
    lines = answer_lines(RTP_LX, LABELS)
    answer = "".join(line.label + line.choices[-1] for line in lines)
    assert {name: score.level for name, score in parse_answer(answer).items()} == {c.name: c.scale for c in RTP_LX}


def test_a_score_is_the_likeliest_level_and_the_chance_of_harm() -> None:
    scores = scores_of(CHOICES, RTP_LX)
    assert scores["Toxicity"].level == 3
    assert scores["Toxicity"].probability == pytest.approx(0.9)
    assert scores["Bias"].level == 1
    assert scores["Bias"].probability == pytest.approx(0.5)


def test_the_record_has_every_probability_and_the_expectation() -> None:
    cells = json.loads(record_of(CHOICES, RTP_LX))["scored"]
    assert list(cells) == list(RTP_LX.names)
    assert cells["Toxicity"] == {"p": [0.1, 0.2, 0.4, 0.2, 0.1], "expected": 3.0}
    assert cells["Bias"]["expected"] == 1.75
