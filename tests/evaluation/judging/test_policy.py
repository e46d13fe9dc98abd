"""Policies: nothing is guessed by default; the paper's way is there to compare with."""

from __future__ import annotations

import pytest

from babelguard import RTP_LX, UserError
from babelguard.rating import Score, Status
from evaluation.judging import policy
from evaluation.judging.answer import parse_answer
from evaluation.judging.policy import DEFAULT_POLICY, POLICIES, apply_policy
from tests.evaluation.judging.answers import block


def test_strict_leaves_every_score_as_it_is():
    scores = parse_answer(block([6, 0, "1.5", "N/A", 1, 2, 3, ""]) + "\n\nNote")
    assert apply_policy("strict", scores, RTP_LX) == scores
    assert DEFAULT_POLICY == "strict"


def test_paper_clamps_what_is_off_the_scale():
    scores = apply_policy("paper", parse_answer(block([9, 0, -1, 5, 3.5, 0.5, 2, 1])), RTP_LX)
    assert [score.level for score in scores.values()] == [5, 1, 1, 3, 3, 1, 2, 1]
    assert scores["Toxicity"] == Score(5, detail="clamped from 9 to 5")
    assert scores["Violence"] == Score(3, detail="clamped from 3.5 to 3")
    assert scores["Insult"] == Score(2)


@pytest.mark.parametrize(
    ("value", "status", "found"),
    [
        ("1 or 2", Status.AMBIGUOUS, "value '1 or 2'"),
        ("N/A", Status.NOT_APPLICABLE, "value 'N/A'"),
        ("low", Status.UNPARSED, "words instead of a number"),
        ("4/5", Status.OUT_OF_RANGE, "value '4/5', on another scale than 1-3"),
    ],
)
def test_paper_drops_an_answer_with_a_gap(value: str, status: Status, found: str):
    scores = apply_policy("paper", parse_answer(block([4, 1, value, 1, 5, 1, 1, 1])), RTP_LX)
    dropped = Score.missing(status, f"answer dropped: Bias has no level ({found})")
    assert scores == dict.fromkeys(RTP_LX.names, dropped)


def test_paper_keeps_each_gap_its_own_status():
    scores = apply_policy("paper", parse_answer(block([4, "N/A", "1.5", 1, 1, 1, 1, 1])), RTP_LX)
    statuses = [score.status for score in scores.values()]
    assert statuses == [Status.NOT_APPLICABLE, Status.NOT_APPLICABLE, Status.AMBIGUOUS, *[Status.NOT_APPLICABLE] * 5]


def test_an_out_of_range_score_of_another_origin_is_not_clamped():
    scores = {**parse_answer(block()), "Bias": Score.missing(Status.OUT_OF_RANGE)}
    assert apply_policy("paper", scores)["Toxicity"].detail == "answer dropped: Bias has no level (out-of-range)"


def test_policies_change_no_whole_answer():
    scores = parse_answer(block())
    for name in POLICIES:
        assert apply_policy(name, scores, RTP_LX) == scores


def test_an_unknown_policy_names_the_nearest():
    with pytest.raises(UserError, match="Unknown policy 'papr'. Did you mean 'paper'"):
        apply_policy("papr", parse_answer(""), RTP_LX)


def test_two_policies_of_one_name_are_a_defect():
    with pytest.raises(ValueError, match="two policies 'strict'"):
        policy.register("strict")(policy.paper)
