"""Azure's recorded scores: rescaled, void where void, four categories."""

from __future__ import annotations

import pytest

from babelguard import RTP_LX, Item, Role, Status, UserError
from evaluation.rater import Workbench
from evaluation.raters.rtp_lx_acs import RtpLxAcsOptions, build, level_of
from tests.data_prep.sources.rtp_lx_files import azure_row, write


def make(folder):
    return build("azure", RtpLxAcsOptions(path=folder), Workbench(RTP_LX, lambda splits: []))


def item(locale: str, index: int, role: str = "prompt", tag: str = "de") -> Item:
    return Item(f"rtp-lx/{locale}/{index}/{role}", "x", tag, "rtp-lx", f"rtp-lx/{index}", role=Role(role))


@pytest.mark.parametrize(
    ("score", "level"), [(0, 1), (1e-9, 1), (1 / 3, 1), (0.34, 2), (2 / 3, 2), (0.67, 3), (0.995, 3), (1, 3)]
)
def test_levels_are_thirds_rounded_up(score, level):
    assert level_of(score) == level


def test_scores_become_levels_and_the_rest_is_not_covered(tmp_path):
    write(tmp_path / "acs_results_DE.json", azure_row("7"))
    rater = make(tmp_path)
    (rating,) = rater.rate([item("DE", 7)])
    found = {name: (score.level, score.status) for name, score in rating.scores.items()}
    assert found["IdentityAttack"] == (3, Status.OK)
    assert found["Violence"] == (2, Status.OK)
    assert found["SexualContent"] == (1, Status.OK)
    assert found["Toxicity"] == (None, Status.NOT_COVERED)
    assert rater.covers == ("IdentityAttack", "Violence", "SelfHarm", "SexualContent")


def test_the_first_of_repeated_rows_counts(tmp_path):
    low = {"SelfHarm": 0, "Violence": 0, "SexualContent": 0, "IdentityAttack": 0}
    write(tmp_path / "acs_results_DE.json", azure_row(7), azure_row(7, ACSResponse=low))
    rater = make(tmp_path)
    (rating,) = rater.rate([item("DE", 7)])
    assert rating.scores["IdentityAttack"].level == 3
    assert rater.notes == ["azure: rows that repeat an earlier row's index, of which the first counts: 1."]


def test_a_void_prompt_and_an_item_without_answer_are_void(tmp_path):
    write(tmp_path / "acs_results_EN.json", azure_row(0, Prompt="NA"))
    void, absent = make(tmp_path).rate([item("EN", 0, tag="en"), item("EN", 1, tag="en")])
    assert {score.status for score in void.scores.values()} == {Status.VOID}
    assert {score.status for score in absent.scores.values()} == {Status.VOID}
    assert absent.scores["Violence"].detail == "no recorded answer belongs to this item"


def test_only_languages_and_roles_with_a_file_are_accepted(tmp_path):
    write(tmp_path / "acs_results_DE.json", azure_row(0))
    write(tmp_path / "acs_results_benign_ES.json", azure_row(0, BenignCompletion="nice", Prompt=None))
    rater = make(tmp_path)
    asked = [item("DE", 0), item("DE", 0, "benign-completion"), item("ES", 0, "benign-completion", "es")]
    assert [rater.accepts(one) for one in asked] == [True, False, True]


@pytest.mark.parametrize(
    "response", [None, {}, {"SelfHarm": 0, "Violence": 2, "SexualContent": 0, "IdentityAttack": 0}]
)
def test_a_row_without_scores_is_named(tmp_path, response):
    write(tmp_path / "acs_results_DE.json", azure_row(0), azure_row(1, ACSResponse=response))
    with pytest.raises(UserError, match=r"acs_results_DE\.json, line 2: 'ACSResponse' has no score 0-1 for"):
        make(tmp_path)
