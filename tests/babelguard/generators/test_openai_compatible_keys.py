"""Keys and addresses of a service: sent where they belong, shown nowhere."""

from __future__ import annotations

import logging

import pytest

from babelguard import UserError
from babelguard.generator import GENERATORS, Decoding
from tests.babelguard.endpoint.fault_server import Answer, chat, echo, fault_server, in_turn
from tests.babelguard.generators.openai_service import CANARY, answers, chats, generator


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
