"""A service behind the OpenAI API, well and ill: order, repeats, budget, filters, faults, and no key shown."""

from __future__ import annotations

import logging
import socket
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from babelguard import UserError
from babelguard.generator import GENERATORS, Decoding, Prompt
from babelguard.item import Message
from babelguard.rating import Status
from babelguard.recipe import validate
from tests.babelguard.endpoint.fault_server import Answer, chat, echo, fault_server, in_turn

CANARY = "sk-canary-5f1d2c"
QUICK = {"first_wait_s": 0.01, "timeout_s": 2.0}


def generator(server, **options):
    kind = GENERATORS.get("openai-compatible")
    traffic = {**QUICK, **options.pop("traffic", {})}
    raw = {"base_url": f"{server.url}/v1", "model": "m", "traffic": traffic, **options}
    return kind.build(validate(raw, kind.options, "test"))


def chats(*texts):
    return [Prompt(messages=(Message("system", "Rate."), Message("user", text))) for text in texts]


def answers(made, *texts, decoding=None):
    return list(made.generate(chats(*texts), decoding or Decoding()))


def test_answers_come_in_order_and_hold_nothing_of_the_prompt():
    with fault_server(echo) as server:
        found = answers(generator(server), *map(str, range(50)))
    assert [one.text for one in found] == [f"echo: {n}" for n in range(50)]
    assert {(one.status, one.prompt_tokens, one.new_tokens) for one in found} == {(Status.OK, 10, 5)}


def test_the_service_is_probed_once_with_something_harmless():
    with fault_server(echo) as server:
        made = generator(server)
        answers(made, "a", "b")
        answers(made, "c")
    assert len(server.asked) == 4
    assert server.bodies[0]["messages"] == [{"role": "user", "content": "Answer with the word: ready"}]
    assert server.bodies[0]["max_tokens"] == 16


def test_nothing_is_sent_before_the_first_prompt():
    with fault_server(echo) as server:
        assert answers(generator(server)) == []
    assert server.asked == []


def test_the_request_says_how_the_model_shall_write():
    with fault_server(echo) as server:
        made = generator(server, top_logprobs=5, extra={"chat_template_kwargs": {"enable_thinking": False}})
        answers(made, "a", decoding=Decoding(7, 0.5, ("\n\n",), 3))
        answers(made, "a", decoding=Decoding(7))
    assert server.bodies[1] == {
        "model": "m",
        "messages": [{"role": "system", "content": "Rate."}, {"role": "user", "content": "a"}],
        "logprobs": True,
        "top_logprobs": 5,
        "max_tokens": 7,
        "temperature": 0.5,
        "seed": 3,
        "stop": ["\n\n"],
        "chat_template_kwargs": {"enable_thinking": False},
    }
    assert server.bodies[2]["temperature"] == 0
    assert "seed" not in server.bodies[2]


def test_a_reasoning_model_can_be_asked_as_it_wants():
    with fault_server(echo) as server:
        answers(generator(server, token_limit="max_completion_tokens", omit=["temperature"]), "a")
    assert server.bodies[1]["max_completion_tokens"] == 200
    assert not {"max_tokens", "temperature"} & set(server.bodies[1])


def test_a_base_model_completes_a_text():
    body = {
        "choices": [
            {
                "text": " 2\nrest",
                "finish_reason": "length",
                "logprobs": {
                    "tokens": [" 2", "\n"],
                    "token_logprobs": [-0.1, -0.2],
                    "top_logprobs": [{" 2": -0.1, " 1": -2.5}, {"\n": -0.2}],
                },
            }
        ]
    }
    with fault_server([Answer(body)]) as server:
        prompts = [Prompt(text="Toxic:")]
        (found,) = generator(server, top_logprobs=2).generate(prompts, Decoding(9, stop=("\n",)))
    assert {one.path for one in server.asked} == {"/v1/completions"}
    assert server.bodies[1] == {
        **{"model": "m", "prompt": "Toxic:", "max_tokens": 9, "temperature": 0, "stop": ["\n"], "logprobs": 2},
    }
    assert found.text == " 2"  # cut at the stop string that this server ignored
    assert found.status is Status.OK
    assert found.top_logprobs == ({" 2": -0.1, " 1": -2.5}, {"\n": -0.2})


def test_log_probabilities_are_given_where_the_server_has_them():
    place = {"token": "2", "logprob": -0.25, "bytes": [50]}
    content = [{**place, "top_logprobs": [place, {"token": "1", "logprob": -1.5, "bytes": [49]}]}]
    with fault_server([chat("2", choice={"logprobs": {"content": content, "refusal": None}})]) as server:
        (found,) = answers(generator(server, top_logprobs=2), "a")
    assert found.top_logprobs == ({"2": -0.25, "1": -1.5},)


def test_no_more_requests_run_at_once_than_allowed():
    barrier = threading.Barrier(3, timeout=2)

    def three_at_once(asked, number):
        if number > 0:
            barrier.wait()
        return echo(asked, number)

    with fault_server(three_at_once) as server:
        answers(generator(server, traffic={"concurrency": 3}), *map(str, range(12)))
        assert server.most_at_once == 3


def test_stopping_early_leaves_no_thread_and_asks_no_further():
    with fault_server(echo) as server:
        stream = generator(server, traffic={"concurrency": 2}).generate(chats(*map(str, range(500))), Decoding())
        assert next(stream).text == "echo: 0"
        stream.close()
        assert not [thread for thread in threading.enumerate() if thread.name == "babelguard-endpoint"]
        assert len(server.asked) < 50


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
        pytest.param(Answer(hangs=True), id="hang"),
    ],
)
def test_a_passing_fault_costs_a_repeat_and_no_item(fault):
    with fault_server(in_turn(chat(), fault, chat("good"))) as server:
        (found,) = answers(generator(server, traffic={"timeout_s": 0.3}), "a")
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
        (Answer(hangs=True), "no whole answer in 0.2 s"),
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
        found = answers(generator(server, traffic={"timeout_s": 0.2, "attempts": 2}), "a", "b", "c")
    assert [one.status for one in found] == [Status.OK, Status.ERROR, Status.OK]
    assert (found[1].text, found[1].detail) == ("", detail)


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


def test_the_request_budget_is_kept_and_every_prompt_accounted_for():
    with fault_server(echo) as server:
        made = generator(server, budget={"max_requests": 4})
        found = answers(made, *map(str, range(7))) + answers(made, "more")
    assert [one.status for one in found] == [Status.OK] * 4 + [Status.ERROR] * 4
    assert {one.detail for one in found[4:]} == {"budget"}
    assert len(server.asked) == 1 + 4


def test_repeated_requests_count_against_the_budget():
    with fault_server(in_turn(chat(), Answer(status=500))) as server:
        found = answers(generator(server, budget={"max_requests": 3}), "a", "b")
    assert {one.detail for one in found} == {"budget"}
    assert len(server.asked) == 1 + 3


def test_money_is_never_overspent_however_many_run_at_once():
    # 10 prompt tokens and 5 new ones: 10 x 100 / 10^6 + 5 x 1000 / 10^6 = 0.006 a request
    prices = {"per_million_prompt_tokens": 100, "per_million_new_tokens": 1000}
    with fault_server(echo) as server:
        made = generator(server, budget={"max_cost": 0.1, **prices}, traffic={"concurrency": 8})
        found = answers(made, *map(str, range(40)), decoding=Decoding(20))
    budget = made.client.budget
    done = [one for one in found if one.status is Status.OK]
    assert budget.cost == pytest.approx(0.006 * len(done))
    assert budget.cost <= 0.1
    assert len(done) >= 8  # what was reserved for longer answers is given back
    assert {one.detail for one in found if one.status is not Status.OK} == {"budget"}


def test_a_limit_of_money_needs_a_price():
    with fault_server() as server, pytest.raises(UserError, match="max_cost needs a price"):
        generator(server, budget={"max_cost": 1})


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


def test_an_answer_cut_at_the_limit_is_truncated_and_keeps_its_text():
    with fault_server([chat("Toxic: 1\nIns", finish="length")]) as server:
        (found,) = answers(generator(server), "a")
    assert (found.status, found.text) == (Status.TRUNCATED, "Toxic: 1\nIns")


def test_content_may_come_in_parts():
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Toxic:"}, {"type": "text", "text": " 1"}]
    with fault_server([chat(parts)]) as server:
        (found,) = answers(generator(server), "a")
    assert found.text == "Toxic: 1"


def test_unpleasant_texts_arrive_as_they_are_and_lone_surrogates_stay_here():
    texts = ["", "\ud800 lone", "\u2028\x00<|im_end|>", "x" * 1_000_000, "🤷🏽‍♀️"]
    with fault_server(echo) as server:
        found = answers(generator(server), *texts)
    assert [one.status for one in found] == [Status.OK, Status.ERROR, *[Status.OK] * 3]
    assert "lone surrogates" in found[1].detail
    assert [one.text for one in found if one.status is Status.OK] == [f"echo: {t}" for t in texts if "\ud800" not in t]


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
    (Answer(hangs=True), "that the service runs", "no whole answer in 0.3 s"),
]


@pytest.mark.parametrize(("answer", "remedy", "reason"), BAD_SERVICES)
def test_a_service_that_cannot_be_used_is_told_before_any_item_is_sent(answer, remedy, reason, monkeypatch):
    monkeypatch.setenv("A_KEY", CANARY)
    with fault_server([answer]) as server:
        made = generator(server, key_variable="A_KEY", traffic={"timeout_s": 0.3, "attempts": 2})
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


def test_a_key_that_stops_working_stops_the_run():
    with fault_server(in_turn(chat(), chat("a"), Answer({"error": {"message": "b is bad"}}, 401))) as server:
        stream = generator(server, traffic={"concurrency": 1}).generate(chats("a", "b"), Decoding())
        assert next(stream).text == "a"
        with pytest.raises(UserError, match="It wants a key") as told:
            next(stream)
    assert "b is bad" not in str(told.value)  # a service's words about an item may quote it


def test_the_key_travels_in_its_header_and_is_shown_nowhere(monkeypatch, caplog):
    monkeypatch.setenv("A_KEY", CANARY)
    caplog.set_level(logging.DEBUG)
    leak = Answer({"error": {"message": f"bad key {CANARY}"}}, 401)
    with fault_server(in_turn(chat(), chat("a"), leak)) as server:
        made = generator(server, key_variable="A_KEY")
        assert answers(made, "a")[0].text == "a"
        with pytest.raises(UserError) as told:
            answers(made, "b")
    with fault_server([leak]) as other, pytest.raises(UserError, match=r"bad key \[key\]") as probed:
        answers(generator(other, key_variable="A_KEY"), "b")
    assert {one.headers["authorization"] for one in server.asked} == {f"Bearer {CANARY}"}
    assert all(CANARY not in one.path and CANARY not in str(one.body) for one in server.asked)
    shown = [caplog.text, repr(made), str(made.client), repr(made.client.secret), made.fingerprint]
    assert CANARY not in "\n".join([*shown, repr(told.value), str(probed.value)])
    assert told.value.__cause__ is None


def test_a_key_that_is_not_set_is_told_by_its_variable(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    kind = GENERATORS.get("openai-compatible")
    with pytest.raises(UserError, match="OPENAI_API_KEY is not set"):
        kind.build(kind.options(model="gpt-4-turbo"))


def test_openais_key_is_not_sent_to_others(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    with fault_server(echo) as server:
        answers(generator(server), "a")
    assert all("authorization" not in one.headers for one in server.asked)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("api.example.org/v1", "must be an address such as"),
        ("ftp://example.org", "must be an address such as"),
        ("http://[::1", "must be an address such as"),
        ("http://127.0.0.1:99999/v1", "must be an address such as"),
        ("http://127.0.0.1:port/v1", "must be an address such as"),
        ("http://127.0.0.1/v1\nX-Header: y", "must be an address such as"),
        (f"https://user:{CANARY}@example.org/v1", "no user name, password"),
        (f"https://example.org/v1?key={CANARY}", "no user name, password"),
        ("http://example.org/v1", "would travel unencrypted to example.org"),
    ],
)
def test_an_address_is_checked_before_anything_is_sent(url, words, monkeypatch):
    monkeypatch.setenv("A_KEY", "k")
    kind = GENERATORS.get("openai-compatible")
    with pytest.raises(UserError, match=words) as told:
        kind.build(kind.options(base_url=url, model="m", key_variable="A_KEY"))
    assert CANARY not in str(told.value)


def test_the_fingerprint_holds_what_decides_the_answers_and_nothing_else():
    with fault_server() as server:
        base = generator(server).fingerprint
        assert generator(server, traffic={"concurrency": 2}, budget={"max_requests": 9}).fingerprint == base
        others = [
            {"model": "n"},
            {"revision": "2"},
            {"top_logprobs": 1},
            {"extra": {"a": 1}},
            {"omit": ["temperature"]},
        ]
        assert len({base, *(generator(server, **one).fingerprint for one in others)}) == 1 + len(others)
