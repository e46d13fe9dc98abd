from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from serve.api.app import create_app
from serve.api.settings import ApiSettings
from serve.guard import Guard
from tests.serve.api.conftest import PLAIN, client_of

JSON = {"content-type": "application/json"}
TEXTS = {
    "nul": "a\u0000b",
    "zalgo": "h" + "\u0300\u0301\u0316\u0489" * 500 + "i",
    "right-to-left overrides": "\u202e\u202dawful\u2066\u2069" * 50,
    "zero-width flood": "\u200b\u200d\ufeff" * 5000,
    "noncharacters": "\ufffe\uffff\U0010ffff",
    "one long word": "x" * 20_000,
    "blanks": " \t\n\u2028\u3000" * 100,
    "special tokens": "<s></s><pad><unk>",
    "emoji": "👩‍👩‍👧‍👦" * 200,
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("path", ["/v1/moderations", "/v1/rate"])
def test_unpleasant_texts_are_rated(name: str, path: str, client: TestClient) -> None:
    answered = client.post(path, json={"input": [TEXTS[name], "a kind day"]})
    assert answered.status_code == 200
    assert len(answered.json()["results"]) == 2


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=[]), max_size=60))
def test_any_text_is_rated_or_refused_in_words(text: str, client: TestClient) -> None:
    for path, body in (
        ("/v1/rate", {"input": text}),
        ("/v1/chat/guard", {"messages": [{"role": "user", "content": text}]}),
    ):
        answered = client.post(path, content=json.dumps(body).encode("ascii"), headers=JSON)
        assert answered.status_code in {200, 400, 422}
        if answered.status_code != 200:
            assert answered.json()["error"]["message"].endswith(".")


BODIES = {
    "nothing": (b"", 400),
    "no json": (b"{", 400),
    "invalid utf-8": (b'{"input": "\xff\xfe"}', 400),
    "lone surrogate": (b'{"input": "\\ud800"}', 400),
    "surrogate in utf-8": (b'{"input": "\xed\xa0\x80"}', 400),
    "deep lists": (b'{"input": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400),
    "deep objects": (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, 400),
    "a number": (b'{"input": 7}', 422),
    "null": (b'{"input": null}', 422),
    "a list of numbers": (b'{"input": [1, 2]}', 422),
    "mixed": (b'{"input": ["a", 2]}', 422),
    "no input": (b"{}", 422),
    "an empty list": (b'{"input": []}', 422),
    "a list of lists": (b'{"input": [["a"]]}', 422),
    "not an object": (b'"text"', 422),
    "infinity": (b'{"input": Infinity}', 422),
    "a huge number": (b'{"input": ' + b"9" * 10_000 + b"}", 422),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("path", ["/v1/moderations", "/v1/rate"])
def test_bodies_that_are_wrong_are_refused_in_words(name: str, path: str, client: TestClient) -> None:
    body, status = BODIES[name]
    answered = client.post(path, content=body, headers=JSON)
    assert answered.status_code in {status, 400, 422}
    error = answered.json()["error"]
    assert error["message"].endswith(".")
    assert error["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"messages": []}, "invalid_body"),
        ({"messages": [{"role": "human", "content": "x"}]}, "invalid_body"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "invalid_body"),
        ({"messages": [{"role": "user", "content": "x"}], "canary": 1}, "invalid_body"),
        ({"messages": [{"role": "user", "content": "x"}] * 2000}, "too_many_messages"),
    ],
)
def test_conversations_that_are_wrong_are_refused(body: dict[str, Any], code: str, client: TestClient) -> None:
    answered = client.post("/v1/chat/guard", json=body)
    assert answered.status_code == 422
    assert answered.json()["error"]["code"] == code
    assert "canary" not in answered.text


def test_unknown_fields_are_counted_and_not_named(client: TestClient) -> None:
    conversation = {"messages": [{"role": "user", "content": "x"}]}
    for path, body in (("/v1/rate", {"input": "a"}), ("/v1/chat/guard", conversation)):
        assert client.post(path, json={**body, "model": "omni-moderation-latest"}).status_code == 200
        assert client.post(path, json={**body, "model": None}).status_code == 200
        assert client.post(path, json={**body, "model": 7}).status_code == 422
        for number, said in ((1, "is 1 field that is"), (5, "are 5 fields that are")):
            refused = client.post(path, json={**body, **{f"canary{each}": each for each in range(number)}})
            assert refused.status_code == 422
            assert refused.json()["error"]["message"] == f"There {said} not known here; see /docs."


def test_a_byte_order_mark_is_passed_over(client: TestClient) -> None:
    for path, body in (
        ("/v1/moderations", b'{"input": "tea"}'),
        ("/v1/rate", b'{"input": "tea"}'),
        ("/v1/chat/guard", b'{"messages": [{"role": "user", "content": "tea"}]}'),
    ):
        assert client.post(path, content=b"\xef\xbb\xbf" + body, headers=JSON).status_code == 200
        assert client.post(path, content=b"\xef\xbb\xbf" * 2 + body, headers=JSON).status_code == 400


def test_a_conversation_with_nothing_to_rate_is_allowed_and_says_so(client: TestClient) -> None:
    for messages in ([{"role": "system", "content": "x"}], [{"role": "user", "content": ""}], [{"role": "assistant"}]):
        answer = client.post("/v1/chat/guard", json={"messages": messages}).json()
        assert (answer["action"], answer["user"], answer["assistant"]) == ("allow", None, None)


def test_languages_are_checked(client: TestClient) -> None:
    for languages in (["en"], ["en", "de", "fr"], ["en", "no such language"], ["en", "x" * 60]):
        assert client.post("/v1/rate", json={"input": ["a", "b"], "languages": languages}).status_code == 422
    known = client.post("/v1/rate", json={"input": ["a", "b"], "languages": ["EN_us", "tlh"]}).json()["results"]
    assert [result["language"]["tag"] for result in known] == ["en", "tlh"]


def test_sizes_are_limited(guard: Guard) -> None:
    with client_of(guard) as client:
        huge = client.post("/v1/rate", content=b'{"input": "' + b"a" * 10_000_000 + b'"}', headers=JSON)
        assert (huge.status_code, huge.json()["error"]["code"]) == (413, "body_too_large")

        def pieces() -> Iterator[bytes]:
            for _ in range(200):
                yield b"a" * 10_000

        unannounced = client.post("/v1/rate", content=pieces(), headers=JSON)
        assert unannounced.status_code == 413
        many = client.post("/v1/moderations", json={"input": ["a"] * 100_000})
        assert (many.status_code, many.json()["error"]["code"]) == (422, "too_many_inputs")
        long = client.post("/v1/rate", json={"input": "a" * 100_001})
        assert (long.status_code, long.json()["error"]["code"]) == (422, "text_too_long")
        kind = client.post(
            "/v1/rate", content=b"input=a", headers={"content-type": "application/x-www-form-urlencoded"}
        )
        assert kind.status_code == 415


def test_other_paths_and_methods_are_refused_in_the_form_of_errors(client: TestClient) -> None:
    for path in ("/v1/moderations/", "/v1/rate/", "/healthz/", "/v1/nothing", "//example.org/"):
        refused = client.post(path, json={"input": "tea"}, follow_redirects=False)
        assert (refused.status_code, refused.json()["error"]["code"]) == (404, "not_found")
        assert "location" not in refused.headers
    for path, method, allowed in (("/v1/rate", "GET", {"POST"}), ("/healthz", "POST", {"GET", "HEAD"})):
        refused = client.request(method, path)
        assert (refused.status_code, refused.json()["error"]["code"]) == (405, "method_not_allowed")
        assert set(refused.headers["allow"].split(", ")) == allowed


def test_a_full_queue_answers_503_with_retry_after(guard: Guard) -> None:
    small = {"limits": {"texts": 2, "body_bytes": 1000}, "batching": {"queue_texts": 2, "queue_characters": 1000}}
    with client_of(guard, **small) as client:
        app: Any = client.app
        assert client.post("/v1/rate", json={"input": ["a", "b"]}).status_code == 200
        batcher = _batcher_of(app)
        batcher._texts += 1  # as if another request were in hand
        refused = client.post("/v1/rate", json={"input": ["a", "b"]})
        batcher._texts -= 1
        metrics = client.get("/metrics").text
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) >= 1
    assert refused.json()["error"]["code"] == "overloaded"
    assert 'babelguard_refused_requests_total{reason="overloaded"} 1.0' in metrics


def _batcher_of(api: FastAPI) -> Any:
    route = next(route for route in api.routes if getattr(route, "path", "") == "/v1/rate")
    return route.endpoint.__self__._moderator._batcher  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def schema(guard: Guard) -> Any:
    limits = {"limits": {"texts": 8, "text_characters": 2000, "messages": 20}}
    api = create_app(guard, None, ApiSettings.model_validate({**PLAIN, **limits}))
    # schemathesis starts and stops the app around every request; mounted in another, this one is not stopped.
    return schemathesis.openapi.from_asgi("/openapi.json", Starlette(routes=[Mount("/", api)]))


OPERATIONS = (
    ("/v1/moderations", "POST"),
    ("/v1/rate", "POST"),
    ("/v1/chat/guard", "POST"),
    ("/healthz", "GET"),
    ("/readyz", "GET"),
    ("/metrics", "GET"),
)


def test_the_schema_describes_these_operations(schema: Any) -> None:
    described = [result.ok() for result in schema.get_all_operations()]
    assert sorted((each.path, each.method.upper()) for each in described) == sorted(OPERATIONS)


@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_nothing_that_the_schema_describes_or_forbids_breaks_the_api(
    path: str, method: str, mode: str, schema: Any
) -> None:
    if method == "GET" and mode == "negative":
        pytest.skip("takes nothing that could be wrong")

    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(case=schema[path][method].as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
    def every_check_holds(case: schemathesis.Case) -> None:
        # As many languages as texts: a rule that a schema cannot state.
        unstated = [positive_data_acceptance] if isinstance(case.body, dict) and "languages" in case.body else []
        case.call_and_validate(excluded_checks=unstated)

    every_check_holds()
