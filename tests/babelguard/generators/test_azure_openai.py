"""Azure OpenAI: both forms of its addresses, its header, and the content filter before it."""

from __future__ import annotations

import pytest

from babelguard import UserError
from babelguard.generator import GENERATORS, Decoding, Prompt
from babelguard.item import Message
from babelguard.rating import Status
from babelguard.recipe import validate
from tests.babelguard.endpoint.fault_server import Answer, chat, echo, fault_server, in_turn

FILTERED = Answer(
    {
        "error": {
            "message": "The response was filtered due to the prompt.",
            "type": None,
            "param": "prompt",
            "code": "content_filter",
            "status": 400,
            "innererror": {
                "code": "ResponsibleAIPolicyViolation",
                "content_filter_result": {
                    "hate": {"filtered": True, "severity": "medium"},
                    "self_harm": {"filtered": False, "severity": "safe"},
                    "sexual": {"filtered": False, "severity": "safe"},
                    "violence": {"filtered": True, "severity": "high"},
                },
            },
        }
    },
    400,
)


def generator(server, **options):
    kind = GENERATORS.get("azure-openai")
    raw = {"base_url": server.url, "deployment": "gpt-4", "traffic": {"first_wait_s": 0.01, "timeout_s": 2}, **options}
    return kind.build(validate(raw, kind.options, "test"))


def ask(made, *texts):
    return list(made.generate([Prompt(messages=(Message("user", text),)) for text in texts], Decoding(5)))


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "azure-canary")


def test_the_v1_api_names_the_deployment_in_the_body():
    with fault_server(echo) as server:
        assert ask(generator(server), "a")[0].text == "echo: a"
    assert {one.path for one in server.asked} == {"/openai/v1/chat/completions"}
    assert {one.body["model"] for one in server.asked} == {"gpt-4"}
    assert {one.headers["api-key"] for one in server.asked} == {"azure-canary"}
    assert all("authorization" not in one.headers for one in server.asked)


def test_the_api_by_deployment_names_it_in_the_path():
    with fault_server(echo) as server:
        made = generator(server, api_version="2024-10-21")
        assert ask(made, "a")[0].text == "echo: a"
        list(made.generate([Prompt(text="b")], Decoding(5)))
    root = "/openai/deployments/gpt-4"
    paths = [one.path for one in server.asked[1:]]
    assert paths == [f"{root}/{end}?api-version=2024-10-21" for end in ("chat/completions", "completions")]
    assert all("model" not in one.body for one in server.asked)


def test_the_content_filter_blocks_and_says_why():
    with fault_server(in_turn(chat(), FILTERED, chat("fine"))) as server:
        blocked, fine = ask(generator(server, traffic={"concurrency": 1}), "a", "b")
    assert blocked.status is Status.BLOCKED
    assert blocked.detail == "HTTP 400 content_filter hate (medium), violence (high)"
    assert fine.text == "fine"


def test_a_deployment_that_is_not_there_is_told():
    missing = Answer({"error": {"code": "DeploymentNotFound", "message": "The API deployment does not exist."}}, 404)
    with fault_server([missing]) as server, pytest.raises(UserError, match="deploymentnotfound: The API deployment"):
        ask(generator(server), "a")


@pytest.mark.parametrize("deployment", ["../x", "a b", "a?b", ""])
def test_a_deployments_name_cannot_lead_elsewhere(deployment):
    with fault_server() as server, pytest.raises(UserError, match="deployment"):
        generator(server, deployment=deployment)


def test_a_missing_key_is_told_by_its_variable(monkeypatch):
    monkeypatch.delenv("AZURE_OPENAI_API_KEY")
    with fault_server() as server, pytest.raises(UserError, match="AZURE_OPENAI_API_KEY is not set"):
        generator(server)
