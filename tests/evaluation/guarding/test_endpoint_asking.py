"""Guards behind a service: what is sent, what is read, what the service refuses, and that nothing is asked twice."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx2", reason="services need httpx2: pip install 'babelguard[endpoints]'")

from babelguard.errors import UserError
from babelguard.item import Role
from babelguard.rating import Rating, Status
from babelguard.response_cache import ResponseCache
from tests.babelguard.endpoint.fault_server import Answer, Asked, FaultServer, chat, fault_server
from tests.evaluation.guarding.layouts import WORDS
from tests.evaluation.guarding.tiny_guards import build_guard, item

PRESET = "guard-llama-guard-3-8b"
FINE, WILD = "the weather is fine", "the storm is wild"


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with fault_server(answers) as running:
        yield running


def answers(asked: Asked, _: int) -> Answer:
    """Call a storm unsafe, with log-probabilities where they are asked for, and all else safe."""
    said = "unsafe" if WILD in str(asked.body) else "safe"
    text = f"\n\n{said}\nS1,S10" if said == "unsafe" else f"\n\n{said}"
    if "prompt" in asked.body:
        return Answer({"choices": [{"text": text, "finish_reason": "stop"}]})
    if not asked.body.get("logprobs"):
        return chat(text)
    other = "safe" if said == "unsafe" else "unsafe"
    rest = [place("\n"), place("S1,S10")] if said == "unsafe" else []
    return chat(text, choice={"logprobs": {"content": [place("\n\n"), place(said, 0.8, {other: 0.1}), *rest]}})


def place(token: str, chance: float = 1.0, others: Mapping[str, float] | None = None) -> dict[str, Any]:
    listed = {token: chance, **(others or {})}
    top = [{"token": name, "logprob": math.log(value)} for name, value in listed.items()]
    return {"token": token, "logprob": math.log(chance), "top_logprobs": top}


def build(server: FaultServer, preset: str = PRESET, cache: ResponseCache | None = None, **options: Any) -> Any:
    chosen = {"first_wait_s": 0.01, "attempts": 2, "timeout_s": 5}
    backend = {"base_url": f"{server.url}/v1", "traffic": chosen, **options.pop("backend_options", {})}
    return build_guard(Path("served"), preset, cache, backend="openai-compatible", backend_options=backend, **options)


def levels(rating: Rating) -> dict[str, int | str]:
    return {name: score.level or score.status.value for name, score in rating.scores.items()}


def test_the_verdict_has_a_probability_where_the_service_gives_one(server: FaultServer) -> None:
    fine, wild = build(server).rate([item(1, FINE), item(2, WILD)])
    assert fine.scores["Toxicity"].probability == pytest.approx(1 / 9, abs=1e-6)
    assert wild.scores["Toxicity"].probability == pytest.approx(8 / 9, abs=1e-6)
    assert (levels(fine)["Toxicity"], levels(wild)["Toxicity"]) == (1, 5)
    assert (levels(wild)["Violence"], levels(wild)["IdentityAttack"], levels(wild)["SelfHarm"]) == (2, 2, 1)
    assert wild.raw == "unsafe\nS1,S10"
    asked = server.bodies[-1]
    assert (asked["model"], asked["temperature"], asked["top_logprobs"]) == ("served", 0.0, 10)
    assert "chat_template_kwargs" not in asked


def test_text_alone_gives_no_probability_and_the_middle_level(server: FaultServer) -> None:
    fine, wild = build(server, backend_options={"top_logprobs": 0}).rate([item(1, FINE), item(2, WILD)])
    assert {score.probability for rating in (fine, wild) for score in rating.scores.values()} == {None}
    assert (levels(fine)["Toxicity"], levels(wild)["Toxicity"], levels(wild)["Violence"]) == (1, 3, 2)


def test_turns_are_sent_as_a_chat(server: FaultServer) -> None:
    list(build(server).rate([item(1, "So.", "How?", role=Role.RESPONSE)]))
    assert server.bodies[-1]["messages"] == [
        {"role": "user", "content": "How?"},
        {"role": "assistant", "content": "So."},
    ]


def test_a_policys_variables_go_along(server: FaultServer, tmp_path: Path) -> None:
    with fault_server(lambda asked, _: chat("Yes" if "harassment" in str(asked.body) else "No")) as rules:
        file = tmp_path / "guidelines.yaml"
        file.write_text(WORDS["guidelines"], encoding="utf-8")
        (rating,) = build(rules, "guard-shieldgemma-2b", prompt_file=str(file)).rate([item(1, FINE)])
    said = {body.get("chat_template_kwargs", {}).get("guideline") for body in rules.bodies}
    assert "A question must not be about hate-speech." in said
    assert (levels(rating)["Insult"], levels(rating)["Violence"], levels(rating)["Toxicity"]) == (2, 1, 3)


def test_a_frame_holds_the_users_system_prompt(server: FaultServer, tmp_path: Path) -> None:
    file = tmp_path / "system.txt"
    file.write_text(WORDS["system"], encoding="utf-8")
    (rating,) = build(server, "guard-polyguard-qwen", prompt_file=str(file)).rate([item(1, FINE)])
    first, second = server.bodies[-1]["messages"]
    assert first == {"role": "system", "content": WORDS["system"]}
    assert second["content"] == f"Human user:\n{FINE}\n\nAI assistant:\n"
    assert rating.scores["Toxicity"].status is Status.UNPARSED  # this service answers otherwise


def test_a_whole_prompt_is_sent_as_a_text(server: FaultServer, tmp_path: Path) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text("<s>[INST] {{ 1 }} {prompt} [/INST]", encoding="utf-8")
    list(build(server, prompt_file=str(file)).rate([item(1, "{{ 2 }}")]))
    assert server.bodies[-1]["prompt"] == "[INST] {{ 1 }} {{ 2 }} [/INST]"
    assert server.asked[-1].path == "/v1/completions"


def test_nothing_is_asked_twice(server: FaultServer, tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "c.sqlite")
    items = [item(1, FINE), item(2, WILD), item(3, FINE)]
    first = list(build(server, cache=cache).rate(items))
    asked = len(server.bodies)
    assert asked == 3  # two texts and the probe
    assert list(build(server, cache=cache).rate(items)) == first
    assert len(server.bodies) == asked


def test_what_the_service_does_not_answer_has_its_status() -> None:
    def script(asked: Asked, _: int) -> Answer:
        if "blocked" in str(asked.body):
            return chat(None, "content_filter")
        if "broken" in str(asked.body):
            return Answer(b"<html>", headers={"Content-Type": "text/html"})
        return chat("I would rather not say.")

    with fault_server(script) as odd:
        texts = ["blocked", "broken", "fine", "", "\ud800"]
        ratings = list(build(odd).rate([item(number, text) for number, text in enumerate(texts)]))
    assert [rating.scores["Toxicity"].status for rating in ratings] == [
        Status.BLOCKED,
        Status.ERROR,
        Status.UNPARSED,
        Status.NOT_APPLICABLE,
        Status.UNPARSED,  # shown as U+FFFD
    ]


def test_long_texts_are_read_in_windows_and_very_long_ones_are_errors(server: FaultServer) -> None:
    guard = build(server, longest_prompt=256, most_windows=8)
    long, endless = guard.rate([item(1, f"{FINE} " * 20 + WILD), item(2, "x" * 1_000_000)])
    assert levels(long)["Toxicity"] == 5
    assert "read in 4 windows" in str(long.scores["Toxicity"].detail)
    assert endless.scores["Toxicity"].status is Status.ERROR
    assert "are more than 'most_windows' (8)" in str(endless.scores["Toxicity"].detail)


def test_earlier_turns_that_leave_no_room_are_shortened(server: FaultServer) -> None:
    (rating,) = build(server, longest_prompt=256).rate([item(1, "So.", "How? " * 200, role=Role.RESPONSE)])
    assert "turns before the rated one are shown shortened" in str(rating.scores["Toxicity"].detail)
    assert len(server.bodies[-1]["messages"][0]["content"]) < 200


def test_the_fingerprint_is_of_what_decides_answers(server: FaultServer) -> None:
    first = build(server).fingerprint
    assert build(server, backend_options={"budget": {"max_requests": 3}}).fingerprint == first
    assert build(server, backend_options={"revision": "2"}).fingerprint != first
    assert build(server, threshold=0.4).fingerprint != first


def test_a_server_that_is_not_there_is_told() -> None:
    with fault_server() as gone:
        pass
    with pytest.raises(UserError, match="Check base_url, that the service runs"):
        list(build(gone).rate([item(1, FINE)]))
