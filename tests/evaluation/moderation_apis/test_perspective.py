"""Perspective: its requests and answers as documented, its languages, and its key out of the address."""

from __future__ import annotations

import pytest

from babelguard.rating import Status
from evaluation.raters.perspective import code_of
from tests.babelguard.endpoint.fault_server import Answer, fault_server, in_turn
from tests.evaluation.moderation_apis.asked import KEY, item, levels, perspective, rater

ALL = {
    **{"TOXICITY": 0.5, "IDENTITY_ATTACK": 0.1, "INSULT": 0.2, "PROFANITY": 0.7, "THREAT": 0.35},
    "SEXUALLY_EXPLICIT": 0.9,
}


def answer(asked, _):
    return perspective(**{label: ALL[label] for label in asked.body["requestedAttributes"]})


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("A_KEY", KEY)


def test_a_request_is_as_documented_and_its_key_is_not_in_the_address():
    with fault_server(answer) as server:
        list(rater("perspective", server).rate([item("你好", "zh-Hans")]))
    asked = server.asked[1]
    assert (asked.path, asked.headers["x-goog-api-key"]) == ("/v1alpha1/comments:analyze", KEY)
    assert asked.body == {
        "comment": {"text": "你好", "type": "PLAIN_TEXT"},
        "languages": ["zh"],
        "requestedAttributes": {"TOXICITY": {}, "IDENTITY_ATTACK": {}, "INSULT": {}, "PROFANITY": {}, "THREAT": {}},
        "doNotStore": True,
    }


def test_scores_become_levels_by_the_mapping():
    with fault_server(answer) as server:
        english, german = rater("perspective", server).rate([item("a", "en"), item("a", "de")])
    expected = {
        "Toxicity": 3,  # ceil(5 x 0.5)
        "IdentityAttack": 1,
        "Bias": "not-covered",
        "Microaggression": "not-covered",
        "Violence": 2,
        "SelfHarm": "not-covered",
        "Insult": 3,  # profanity is part of the category's definition
        "SexualContent": 3,
    }
    assert levels(english) == expected
    assert levels(german) == {**expected, "SexualContent": "not-covered"}
    assert german.scores["SexualContent"].detail == "not offered in the language de"
    assert english.scores["Toxicity"].probability == 0.5


def test_a_language_that_it_does_not_take_is_not_covered_and_not_sent():
    with fault_server(answer) as server:
        (rating,) = rater("perspective", server).rate([item("habari", "sw")])
    assert server.asked == []
    assert {score.status for score in rating.scores.values()} == {Status.NOT_COVERED}
    assert rating.scores["Toxicity"].detail == "Perspective does not take the language sw"


UNSUPPORTED = {
    "@type": "type.googleapis.com/google.commentanalyzer.v1alpha1.Error",
    "errorType": "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE",
    "languageNotSupportedByAttributeError": {"detectedLanguages": ["th"], "attribute": "THREAT"},
}


@pytest.mark.parametrize(
    ("details", "status"),
    [
        ([UNSUPPORTED], "not-covered"),
        ([{"errorType": "LANGUAGE_DETECTION_FAILED"}], "not-covered"),
        ([{"errorType": "COMMENT_EMPTY"}], "not-applicable"),
        ([{"errorType": "COMMENT_TOO_LONG"}], "error"),
        ([], "error"),
    ],
)
def test_an_error_says_why_there_is_no_level(details, status):
    error = {"code": 400, "message": "Attribute THREAT does not support request languages: th", "details": details}
    fault = Answer({"error": {**error, "status": "INVALID_ARGUMENT"}}, 400)
    with fault_server(in_turn(perspective(**ALL), fault)) as server:
        (rating,) = rater("perspective", server).rate([item("a", "pt")])
    score = rating.scores["Toxicity"]
    assert score.status.value == status
    assert score.detail == f"HTTP 400 {details[0]['errorType'].lower() if details else 'invalid_argument'}"


def test_long_texts_are_cut_by_bytes():
    with fault_server(answer) as server:
        (rating,) = rater("perspective", server).rate([item("ж" * 15_000, "ru")])
    sizes = [len(body["comment"]["text"].encode()) for body in server.bodies[1:]]
    assert len(sizes) == 2
    assert max(sizes) <= 20_480
    assert rating.scores["Toxicity"].level == 3


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        *(
            ("de", "de"),
            ("pt-BR", "pt"),
            ("zh-Hant", "zh"),
            ("hi-Latn", "hi-Latn"),
            ("hi", "hi"),
            ("ar-Latn", "ar-Latn"),
        ),
        ("sr-Latn", "sr"),
    ],
)
def test_language_codes(tag, code):
    assert code_of(tag) == code
