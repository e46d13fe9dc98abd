"""OpenAI moderation: its requests and answers as documented, scores and flags as levels, and nothing asked twice."""

from __future__ import annotations

import pytest

from babelguard import UserError
from babelguard.rating import Status
from babelguard.response_cache import ResponseCache
from evaluation.rater import RATER_KINDS
from evaluation.raters.openai_moderation import MAPPING
from tests.babelguard.endpoint.fault_server import Answer, fault_server, in_turn
from tests.evaluation.moderation_apis.asked import KEY, item, levels, openai, rater


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("A_KEY", KEY)


def test_a_request_is_as_documented():
    with fault_server([openai()]) as server:
        list(rater("openai-moderation", server).rate([item("hallo")]))
    asked = server.asked[1]
    assert (asked.path, asked.headers["authorization"]) == ("/moderations", f"Bearer {KEY}")
    assert asked.body == {"model": "omni-moderation-2024-09-26", "input": "hallo"}


def test_scores_become_levels_by_the_mapping():
    answer = openai(flags=("self-harm",), harassment=0.4, hate_threatening=0.9, self_harm=0.05, sexual=0.34)
    with fault_server([answer]) as server:
        (rating,) = rater("openai-moderation", server).rate([item("text")])
    assert levels(rating) == {
        "Toxicity": "not-covered",
        "IdentityAttack": 3,
        "Bias": "not-covered",
        "Microaggression": "not-covered",
        "Violence": 3,
        "SelfHarm": 2,  # flagged by the service, though its score alone would be level 1
        "Insult": 2,
        "SexualContent": 2,
    }
    assert rating.scores["Insult"].probability == 0.4
    assert rating.scores["Violence"].probability == 0.9


def test_flags_can_be_left_out():
    with fault_server([openai(flags=("violence",), violence=0.1)]) as server:
        (rating,) = rater("openai-moderation", server, flags=False).rate([item("text")])
    assert rating.scores["Violence"].level == 1


def test_every_documented_category_is_mapped():
    with fault_server([openai()]) as server:
        (rating,) = rater("openai-moderation", server).rate([item("text")])
    assert set(MAPPING) == set(openai().body["results"][0]["categories"])
    assert all(score.status in {Status.OK, Status.NOT_COVERED} for score in rating.scores.values())


def test_a_label_that_the_mapping_does_not_know_is_an_error_and_never_safe():
    answer = openai()
    answer.body["results"][0]["category_scores"]["fraud"] = 0.9
    with fault_server([answer]) as server, pytest.raises(UserError, match=r"label 'fraud', which the rater's mapping"):
        list(rater("openai-moderation", server).rate([item("text")]))


def test_a_guard_of_ones_own_that_speaks_like_openai_can_be_rated():
    body = {"model": "guard", "results": [{"categories": {"Toxicity": True}, "category_scores": {"Toxicity": 0.7}}]}
    with fault_server([Answer(body)]) as server:
        made = rater("openai-moderation", server, model="guard", mapping={"Toxicity": ["Toxicity"]})
        (rating,) = made.rate([item("text")])
    assert rating.scores["Toxicity"].level == 4  # ceil(5 x 0.7)
    assert made.covers == ("Toxicity",)


def test_the_same_request_is_never_made_twice_also_across_runs(tmp_path):
    items = [item("a", number=0), item("b", number=1), item("a", number=2)]
    with fault_server([openai(violence=0.5)]) as server:
        cache = ResponseCache(tmp_path / "c.sqlite")
        first = list(rater("openai-moderation", server, cache).rate(items))
        assert len(server.asked) == 1 + 2
        cache.close()
        again = rater("openai-moderation", server, ResponseCache(cache.path), cut_points={"Violence": [0.1, 0.2]})
        second = list(again.rate(items))
        assert len(server.asked) == 1 + 2  # neither probed nor asked
    assert [rating.scores["Violence"].level for rating in first] == [2] * 3
    assert [rating.scores["Violence"].level for rating in second] == [3] * 3  # cut anew from the kept scores


def test_what_is_no_answer_is_not_kept(tmp_path):
    cache = ResponseCache(tmp_path / "c.sqlite")
    with fault_server(in_turn(openai(), Answer({"results": []}), openai())) as server:
        made = rater("openai-moderation", server, cache)
        statuses = [next(iter(made.rate([item("a")]))).scores["Violence"].status for _ in range(3)]
    assert statuses == [Status.ERROR, Status.OK, Status.OK]
    assert len(server.asked) == 3


def test_the_budget_is_kept_and_every_item_accounted_for():
    with fault_server([openai()]) as server:
        made = rater("openai-moderation", server, budget={"max_requests": 2})
        ratings = list(made.rate([item(str(number), number=number) for number in range(5)]))
    assert [rating.scores["Violence"].detail for rating in ratings] == [None, None, "budget", "budget", "budget"]
    assert len(server.asked) == 3


def test_a_missing_key_is_told_by_its_variable(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    kind = RATER_KINDS.get("openai-moderation")
    from babelguard import RTP_LX
    from evaluation.rater import Workbench

    with pytest.raises(UserError, match="OPENAI_API_KEY is not set"):
        kind.build("api", kind.options(), Workbench(RTP_LX, lambda _: []))


def test_a_wrong_key_is_told_before_any_item_is_sent():
    denied = Answer({"error": {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}}, 401)
    with fault_server([denied]) as server, pytest.raises(UserError) as told:
        list(rater("openai-moderation", server).rate([item("private")]))
    assert "Check the key in the environment variable A_KEY" in str(told.value)
    assert KEY not in str(told.value)
    assert "private" not in str(server.bodies)
