"""Scores become levels as the RTP-LX paper has it, or at cut points of one's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard import RTP_LX, UserError
from evaluation.moderation_apis.levels import check_cut_points, level_of
from evaluation.raters import rtp_lx_acs

VIOLENCE, TOXICITY = RTP_LX["Violence"], RTP_LX["Toxicity"]


@pytest.mark.parametrize(("highest", "levels"), [(7, (1, 1, 1, 2, 2, 3, 3, 3)), (6, (1, None, 1, None, 2, None, 3))])
def test_severities_of_azure(highest, levels):
    # max(1, ceil(3 x severity / highest)), by hand
    for severity, level in enumerate(levels):
        if level is not None:
            assert level_of(severity / highest, VIOLENCE) == level


@given(st.floats(0, 1))
def test_it_is_the_rescaling_of_the_recorded_scores(score):
    if abs(score * 3 - round(score * 3)) > 1e-8:
        assert level_of(score, VIOLENCE) == rtp_lx_acs.level_of(score)


@pytest.mark.parametrize(("score", "level"), [(0, 1), (0.2, 1), (0.21, 2), (0.6, 3), (0.61, 4), (0.8, 4), (1, 5)])
def test_five_levels(score, level):
    assert level_of(score, TOXICITY) == level


def test_cut_points_and_flags():
    assert [level_of(score, VIOLENCE, (0.1, 0.5)) for score in (0, 0.1, 0.11, 0.5, 0.51, 1)] == [1, 1, 2, 2, 3, 3]
    assert [level_of(score, VIOLENCE, flagged=True) for score in (0.01, 0.5, 0.9)] == [2, 2, 3]


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan")])
def test_no_score_off_the_scale_becomes_a_level(score):
    with pytest.raises(ValueError, match="not between 0 and 1"):
        level_of(score, VIOLENCE)


@pytest.mark.parametrize("points", [(), (0.5,), (0.5, 0.5), (0.5, 0.4), (-0.1, 0.5), (0.5, 1.0), (0.1, 0.2, 0.3)])
def test_wrong_cut_points_are_told(points):
    with pytest.raises(UserError, match=r"cut_points\.Violence must be 2 ascending scores"):
        check_cut_points({"Violence": points}, RTP_LX)


def test_cut_points_of_no_category_are_told():
    with pytest.raises(UserError, match="Did you mean 'Violence'"):
        check_cut_points({"Violenc": (0.1, 0.2)}, RTP_LX)
