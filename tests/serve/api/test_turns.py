from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from serve.api.requests import ChatGuardRequest
from serve.api.turns import last_turns
from serve.guard import Guard
from tests.serve.api.conftest import client_of

SAID = "buy now"
CONVERSATIONS = {
    "user, user": ([("user", SAID), ("user", "ok")], {"user": "buy now\nok"}),
    "user, nothing": ([("user", SAID), ("user", "")], {"user": SAID}),
    "user, null": ([("user", SAID), ("user", None)], {"user": SAID}),
    "user, system, user": ([("user", SAID), ("system", "x"), ("user", "ok")], {"user": "buy now\nok"}),
    "user, call, tool, user": (
        [("user", SAID), ("assistant", None), ("tool", "x"), ("user", "ok")],
        {"user": "buy now\nok"},
    ),
    "user, blanks, user": ([("user", SAID), ("assistant", " \n"), ("user", "ok")], {"user": "buy now\nok"}),
    "assistant, assistant": (
        [("user", "hi"), ("assistant", SAID), ("assistant", "ok")],
        {"user": "hi", "assistant": "buy now\nok"},
    ),
    "assistant, tool, assistant": (
        [("user", "hi"), ("assistant", SAID), ("tool", "x"), ("assistant", "ok")],
        {"user": "hi", "assistant": "buy now\nok"},
    ),
    "assistant, null": (
        [("user", "hi"), ("assistant", SAID), ("assistant", None)],
        {"user": "hi", "assistant": SAID},
    ),
    "an earlier turn": ([("user", SAID), ("assistant", "no"), ("user", "a"), ("user", "b")], {"user": "a\nb"}),
    "an earlier answer": (
        [("user", "hi"), ("assistant", SAID), ("user", "a"), ("assistant", "b")],
        {"user": "a", "assistant": "b"},
    ),
    "no user": ([("system", "x"), ("assistant", SAID), ("assistant", "ok")], {"assistant": "buy now\nok"}),
    "nothing": ([("system", "x"), ("user", None), ("assistant", "")], {}),
}


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_turn_is_all_of_its_messages(name: str) -> None:
    said, expected = CONVERSATIONS[name]
    messages = [{"role": role, "content": content} for role, content in said]
    assert last_turns(ChatGuardRequest.model_validate({"messages": messages}).messages) == expected


def test_an_answer_that_grows_over_messages_keeps_its_beginning() -> None:
    def answer(*contents: str | None) -> str:
        said = [{"role": "user", "content": "hi"}, *({"role": "assistant", "content": each} for each in contents)]
        return last_turns(ChatGuardRequest.model_validate({"messages": said}).messages)["assistant"]

    steps = [
        answer("one"),
        answer("one two"),
        answer("one two", ""),
        answer("one two", None, "th"),
        answer("one two", "three"),
    ]
    assert all(later.startswith(earlier) for earlier, later in pairwise(steps))


def test_a_turn_cannot_be_split_past_the_guard(guard: Guard, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "format: 1\nname: spam\nversion: 1\nblock_lists: [{name: spam, entries: [buy now]}]\n", encoding="utf-8"
    )
    with client_of(guard, policy) as client:
        for part, messages in (
            ("user", [("user", "hm"), ("user", SAID), ("user", "ok")]),
            ("assistant", [("user", "hi"), ("assistant", "hm"), ("assistant", SAID), ("assistant", "ok")]),
        ):
            said = [{"role": role, "content": content} for role, content in messages]
            answer = client.post("/v1/chat/guard", json={"messages": said}).json()
            assert answer["action"] == "block"
            assert answer[part]["rules"][0]["spans"] == [[3, 10]]  # of the joined text


def test_the_description_says_what_spans_refer_to(client: TestClient) -> None:
    schemas = json.loads(client.get("/openapi.json").content)["components"]["schemas"]
    assert "joined text" in schemas["ChatGuardRequest"]["description"]
