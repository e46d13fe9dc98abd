"""Azure AI Content Safety: its requests and answers as documented, its severities as levels."""

from __future__ import annotations

import json

import pytest

from babelguard import UserError
from babelguard.item import Message
from babelguard.rating import Rating, Status
from tests.babelguard.endpoint.fault_server import Answer, fault_server, in_turn
from tests.evaluation.moderation_apis.asked import KEY, azure, item, levels, rater

FINE = azure(Hate=0, SelfHarm=0, Sexual=0, Violence=0)


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("A_KEY", KEY)


def test_a_request_is_as_documented():
    with fault_server([FINE]) as server:
        made = rater("azure-content-safety", server)
        list(made.rate([item("guten Tag"), item("", messages=(Message("user", "a"), Message("assistant", "b")))]))
    probe, first, second = server.asked
    assert probe.body["text"] == "Good morning. The weather is fine today."
    assert first.path == "/contentsafety/text:analyze?api-version=2024-09-01"
    assert first.headers["ocp-apim-subscription-key"] == KEY
    assert first.body == {
        "text": "guten Tag",
        "categories": ["Hate", "SelfHarm", "Sexual", "Violence"],
        "blocklistNames": [],
        "haltOnBlocklistHit": False,
        "outputType": "EightSeverityLevels",
    }
    assert second.body["text"] == "a\nb"


@pytest.mark.parametrize(
    ("output", "severities", "expected"),
    [("EightSeverityLevels", (0, 3, 5, 7), (1, 2, 3, 3)), ("FourSeverityLevels", (0, 2, 4, 6), (1, 1, 2, 3))],
)
def test_severities_become_levels_and_four_categories_are_not_covered(output, severities, expected):
    answer = azure(**dict(zip(("Hate", "SelfHarm", "Sexual", "Violence"), severities, strict=True)))
    with fault_server([answer]) as server:
        made = rater("azure-content-safety", server, output=output)
        (rating,) = made.rate([item("text")])
    hate, self_harm, sexual, violence = expected
    assert levels(rating) == {
        "Toxicity": "not-covered",
        "IdentityAttack": hate,
        "Bias": "not-covered",
        "Microaggression": "not-covered",
        "Violence": violence,
        "SelfHarm": self_harm,
        "Insult": "not-covered",
        "SexualContent": sexual,
    }
    assert made.covers == ("IdentityAttack", "Violence", "SelfHarm", "SexualContent")
    assert rating.scores["Violence"].probability is None
    raw = dict(zip(("Hate", "SelfHarm", "Sexual", "Violence"), severities, strict=True))
    assert json.loads(rating.raw) == raw


def observed(made, *ratings):
    """Show a rater its ratings as a run does, which has read them from its folder."""
    for rating in ratings:
        made.observe(Rating.from_dict(rating.to_dict()))


def test_a_long_text_is_rated_in_pieces_and_its_worst_counts():
    def script(asked, _):
        return azure(Hate=6 if "!" in asked.body["text"] else 0, SelfHarm=0, Sexual=0, Violence=1)

    text = "x" * 25_000
    with fault_server(script) as server:
        made = rater("azure-content-safety", server)
        one, other = made.rate([item(text), item(f"{text}!", number=1)])
    observed(made, one, other)
    assert levels(one)["IdentityAttack"] == 1
    assert levels(other)["IdentityAttack"] == 3
    assert max(len(body["text"]) for body in server.bodies) == 10_000
    assert len(server.asked) == 1 + 3  # of the six pieces, three differ
    assert any("2 texts longer than 10,000 characters were rated in overlapping pieces" in note for note in made.notes)


def test_a_language_without_special_training_is_noted():
    with fault_server([FINE]) as server:
        made = rater("azure-content-safety", server)
        ratings = made.rate([item("a", "de"), item("b", "ko"), item("c", "zh-Hans"), item("d", "sw")])
        observed(made, *ratings)
    (note,) = made.notes
    assert "not specially trained in ko, sw" in note


@pytest.mark.parametrize(
    ("answer", "status", "detail"),
    [
        (
            Answer({"error": {"code": "InvalidRequestBody", "message": "x"}}, 400),
            "error",
            "HTTP 400 invalidrequestbody",
        ),
        (Answer({"error": {"code": "TooManyRequests"}}, 429), "error", "HTTP 429 toomanyrequests"),
        (Answer({"error": {"code": "NotSupportedLanguage"}}, 400), "not-covered", "HTTP 400 notsupportedlanguage"),
        (Answer({"categoriesAnalysis": [{"category": "Hate"}]}), "error", "an answer of another shape"),
        (Answer({"categoriesAnalysis": [{"category": "Hate", "severity": 9}]}), "error", "an answer of another shape"),
        (
            Answer({"categoriesAnalysis": [{"category": "Hate", "severity": True}]}),
            "error",
            "an answer of another shape",
        ),
        (azure(Hate=0), "error", "the service gave no score"),
        (Answer(b"<html>", 200), "error", "answered a web page"),
    ],
)
def test_what_is_no_answer_is_a_status_with_its_reason(answer, status, detail):
    with fault_server(in_turn(FINE, answer)) as server:
        (rating,) = rater("azure-content-safety", server, traffic={"attempts": 2}).rate([item("text")])
    score = rating.scores["Violence"]
    assert (score.status.value, score.detail) == (status, detail)
    assert rating.scores["Toxicity"].status is Status.NOT_COVERED


def test_what_cannot_be_sent_is_not_sent():
    with fault_server([FINE]) as server:
        made = rater("azure-content-safety", server)
        ratings = list(made.rate([item(""), item(" \n", number=1), item("\ud83d", number=2), item("ok", number=3)]))
    assert [rating.scores["Violence"].status.value for rating in ratings] == [
        *("not-applicable", "not-applicable", "error", "ok"),
    ]
    assert len(server.asked) == 2
    assert {len(rating.scores) for rating in ratings} == {8}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"mapping": {"Hat": ["IdentityAttack"]}},
            "Unknown label of Azure AI Content Safety 'Hat'. Did you mean 'Hate'",
        ),
        ({"mapping": {"Hate": ["Identity"]}}, "sends 'Hate' to 'Identity', which the taxonomy rtp-lx does not have"),
        ({"mapping": {"Hate": []}}, "speaks for no category"),
        ({"cut_points": {"Violence": [0.5]}}, "must be 2 ascending scores"),
        ({"output": "SixSeverityLevels"}, "output"),
        ({"longest_text": 20_000}, "longest_text"),
        ({"keys": 1}, "unknown key"),
    ],
)
def test_a_wrong_recipe_is_told(options, words):
    with fault_server() as server, pytest.raises(UserError) as told:
        rater("azure-content-safety", server, **options)
    assert words in str(told.value)


def test_the_fingerprint_holds_what_decides_the_levels():
    with fault_server() as server:
        base = rater("azure-content-safety", server).fingerprint
        assert rater("azure-content-safety", server, traffic={"concurrency": 2}).fingerprint == base
        others = [
            {"output": "FourSeverityLevels"},
            {"cut_points": {"Violence": [0.2, 0.9]}},
            {"mapping": {"Hate": ["IdentityAttack", "Insult"], "Violence": ["Violence"]}},
            {"longest_text": 500},
        ]
        made = {rater("azure-content-safety", server, **options).fingerprint for options in others}
    assert len({base, *made}) == 5
