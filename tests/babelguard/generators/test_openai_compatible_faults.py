"""A service behind the OpenAI API that is ill: repeats, waits, filters, and what cannot be used at all."""

from __future__ import annotations

import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from babelguard import UserError
from babelguard.generator import GENERATORS
from babelguard.rating import Status
from babelguard.recipe import validate
from tests.babelguard.endpoint.deadlines import Deadlines
from tests.babelguard.endpoint.fault_server import Answer, chat, echo, fault_server, in_turn
from tests.babelguard.generators.openai_service import CANARY, QUICK, answers, generator

HANGS = Answer(hangs=True)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Answer(status=500), id="500"),
        pytest.param(Answer({"error": {"message": "busy"}}, 503), id="503"),
        pytest.param(Answer(status=429, headers={"Retry-After": "0"}), id="429"),
        pytest.param(Answer(b'{"choices": [', 200), id="malformed"),
        pytest.param(Answer(b"", 200), id="empty"),
        pytest.param(Answer(b"[1]", 200), id="not-an-object"),
        pytest.param(Answer(b"<!DOCTYPE html><p>Sign in", 200), id="web-page"),
        pytest.param(Answer({"error": {"code": 502, "message": "upstream"}}), id="error-in-200"),
        pytest.param(Answer(b'{"choices": []}', cut_after=5), id="cut"),
        pytest.param(Answer(b'{"choices": []}', cut_after=5, chunked=True), id="cut-stream"),
    ],
)
def test_a_passing_fault_costs_a_repeat_and_no_item(fault):
    with fault_server(in_turn(chat(), fault, chat("good"))) as server:
        (found,) = answers(generator(server), "a")
    assert (found.status, found.text) == (Status.OK, "good")
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("fault", "detail"),
    [
        (Answer(status=500), "HTTP 500"),
        (Answer({"error": {"code": "rate_limit_exceeded"}}, 429), "HTTP 429 rate_limit_exceeded"),
        (Answer(b"{", 200), "answered malformed JSON"),
        (Answer(b"<html>", 200), "answered a web page"),
        (Answer(b"{}", cut_after=1), "the answer was cut off (RemoteProtocolError)"),
        (Answer({"choices": []}), "an answer without choices"),
        (chat(None), "an answer without text"),
        (chat("", finish="error"), "error"),
        (Answer({"error": {"code": "context_length_exceeded"}}, 400), "HTTP 400 context_length_exceeded"),
        (Answer({"detail": "no"}, 422), "HTTP 422"),
        (Answer([{"error": {"code": 400, "status": "INVALID_ARGUMENT"}}], 400), "HTTP 400 invalid_argument"),
    ],
)
def test_a_lasting_fault_is_an_error_of_its_item_alone(fault, detail):
    def fails_for_b(asked, number):
        return fault if asked.body["messages"][-1]["content"] == "b" else echo(asked, number)

    with fault_server(fails_for_b) as server:
        found = answers(generator(server, traffic={"attempts": 2}), "a", "b", "c")
    assert [one.status for one in found] == [Status.OK, Status.ERROR, Status.OK]
    assert (found[1].text, found[1].detail) == ("", detail)


@pytest.fixture
def deadlines(monkeypatch: pytest.MonkeyPatch) -> Deadlines:
    made = Deadlines()
    monkeypatch.setattr("babelguard.endpoint.client.asyncio.timeout", made.timeout)
    return made


def test_a_passing_hang_costs_a_repeat_and_no_item(deadlines):
    with fault_server(in_turn(chat(), HANGS, chat("good")), on_hang=deadlines.expire) as server:
        (found,) = answers(generator(server, traffic={"concurrency": 1}), "a")
    assert (found.status, found.text) == (Status.OK, "good")
    assert len(server.asked) == 3


def test_a_lasting_hang_is_an_error_of_its_item_alone(deadlines):
    def hangs_for_b(asked, number):
        return HANGS if asked.body["messages"][-1]["content"] == "b" else echo(asked, number)

    with fault_server(hangs_for_b, on_hang=deadlines.expire) as server:
        found = answers(generator(server, traffic={"concurrency": 1, "attempts": 2}), "a", "b", "c")
    assert [one.status for one in found] == [Status.OK, Status.ERROR, Status.OK]
    assert (found[1].text, found[1].detail) == ("", "no whole answer in 60 s")


def test_the_time_of_a_request_is_the_clocks():
    with fault_server([HANGS]) as server:
        made = generator(server, traffic={"timeout_s": 0.1, "attempts": 1})
        with pytest.raises(UserError, match=r"no whole answer in 0.1 s.*that the service runs"):
            answers(made, "secret item")
    assert "secret item" not in str(server.bodies)


@pytest.mark.parametrize("header", ["0.4", "date", "ms"])
def test_retry_after_is_never_undercut_and_holds_for_the_others_too(header):
    import time

    times = []

    def script(asked, number):
        times.append(time.monotonic())
        if number != 1:
            return echo(asked, number)
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        headers = {"retry-after-ms": "400"} if header == "ms" else {"Retry-After": date if header == "date" else header}
        return Answer(status=429, headers=headers)

    with fault_server(script) as server:
        found = answers(generator(server, traffic={"concurrency": 1}), "a", "b")
    assert [one.text for one in found] == ["echo: a", "echo: b"]
    assert times[2] - times[1] >= 0.35
    assert len(server.asked) == 4


def test_a_wait_that_is_too_long_is_not_waited():
    with fault_server(in_turn(chat(), Answer(status=429, headers={"Retry-After": "3600"}), chat("b"))) as server:
        found = answers(generator(server, traffic={"concurrency": 1}), "a", "b")
    assert [(one.status, one.detail) for one in found] == [(Status.ERROR, "HTTP 429"), (Status.OK, None)]


FILTERED = {"hate": {"filtered": True, "severity": "high"}, "violence": {"filtered": False, "severity": "low"}}


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (chat(None, finish="content_filter"), "content_filter"),
        (
            chat(None, finish="content_filter", choice={"content_filter_results": FILTERED}),
            "content_filter hate (high)",
        ),
        (chat(None, message={"refusal": "I cannot help with that."}), "refusal field"),
        (chat(None, finish="SAFETY"), "safety"),
        (
            Answer(
                {
                    "error": {
                        "code": "content_filter",
                        "status": 400,
                        "message": "The response was filtered",
                        "innererror": {
                            "code": "ResponsibleAIPolicyViolation",
                            "content_filter_result": {**FILTERED, "jailbreak": {"filtered": True, "detected": True}},
                        },
                    }
                },
                400,
            ),
            "HTTP 400 content_filter hate (high), jailbreak",
        ),
        (Answer({"error": {"code": "data_inspection_failed"}}, 400), "HTTP 400 data_inspection_failed"),
        (
            Answer({"error": {"code": 403, "metadata": {"reasons": ["hate"], "flagged_input": "..."}}}, 403),
            "HTTP 403",
        ),
    ],
)
def test_what_a_filter_stops_is_blocked(answer, detail):
    with fault_server(in_turn(chat(), answer)) as server:
        (found,) = answers(generator(server), "a")
    assert (found.status, found.text, found.detail) == (Status.BLOCKED, "", detail)
    assert len(server.asked) == 2


def test_a_filter_that_stops_the_probe_stops_nothing_else():
    with fault_server(in_turn(Answer({"error": {"code": "content_filter"}}, 400), chat("good"))) as server:
        (found,) = answers(generator(server), "a")
    assert found.text == "good"


def test_a_service_that_dies_is_given_up_and_every_prompt_accounted_for():
    with fault_server(in_turn(chat(), chat("a"), Answer(status=502))) as server:
        made = generator(server, traffic={"concurrency": 1, "attempts": 2, "give_up_after": 3})
        found = answers(made, *map(str, range(50)))
    assert [one.status for one in found] == [Status.OK] + [Status.ERROR] * 49
    assert found[3].detail == "HTTP 502"
    assert found[4].detail == "given up: 3 items in a row had no answer"
    assert len(server.asked) == 1 + 1 + 3 * 2


BAD_SERVICES = [
    (Answer({"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}, 401), "variable A_KEY", "401"),
    (Answer({"error": {"message": "no access"}}, 403), "Check the key in the environment variable A_KEY", "no access"),
    (
        Answer({"error": {"message": "The model m does not exist"}}, 404),
        "Check base_url and the model's name",
        "m does",
    ),
    (Answer(b"<!doctype html>", 404), "Check base_url and the model's name", "a web page"),
    (Answer(b"<html>hello", 200), "root of the API, such as https://host/v1", "a web page"),
    (Answer(b"hello", 200), "root of the API", "malformed JSON"),
    (Answer(status=301, headers={"Location": "http://127.0.0.1:1/"}), "sends requests elsewhere", "301"),
    (Answer({"error": {"code": "insufficient_quota"}}, 429), "no credit or quota left", "insufficient_quota"),
    (Answer(status=500), "that the service runs", "HTTP 500"),
    (Answer({"error": {"message": "Unsupported parameter: max_tokens"}}, 400), "change the options", "max_tokens"),
]


@pytest.mark.parametrize(("answer", "remedy", "reason"), BAD_SERVICES)
def test_a_service_that_cannot_be_used_is_told_before_any_item_is_sent(answer, remedy, reason, monkeypatch):
    monkeypatch.setenv("A_KEY", CANARY)
    with fault_server([answer]) as server:
        made = generator(server, key_variable="A_KEY", traffic={"attempts": 2})
        with pytest.raises(UserError) as told:
            answers(made, "secret item")
    sentence = str(told.value)
    assert remedy in sentence
    assert reason in sentence
    assert "\n" not in sentence
    assert CANARY not in sentence
    assert "secret item" not in str(server.bodies)


def test_a_host_that_is_not_there_is_told():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kind = GENERATORS.get("openai-compatible")
    raw = {"base_url": f"http://127.0.0.1:{port}/v1", "model": "m", "traffic": {**QUICK, "attempts": 2}}
    with pytest.raises(UserError, match=r"cannot be reached.*Check base_url, that the service runs"):
        answers(kind.build(validate(raw, kind.options, "test")), "a")
