from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from serve.api.answers import ChatGuardAnswer, ModerationAnswer, RateAnswer
from serve.guard import Guard
from serve.language_identification import LanguageIdentifier
from tests.serve.api.conftest import client_of, eventually

TEXTS = ["a kind day", "awful", "", "the weather today is good " * 12 + "awful"]


def test_rate_says_what_the_guard_says(client: TestClient, guard: Guard) -> None:
    languages = ["en", "de", None, "pt"]
    answered = client.post("/v1/rate", json={"input": TEXTS, "languages": languages})
    assert answered.status_code == 200
    answer = RateAnswer.model_validate(answered.json())
    assert answer.model == "tiny-0.0.1"
    for text, rated, expected in zip(TEXTS, answer.results, guard.rate(TEXTS, languages), strict=True):
        assert rated.characters == len(text)
        assert rated.windows == expected.windows
        assert rated.language.calibration == expected.language
        for name, category in rated.categories.items():
            assert category.level == expected.levels[name]
            assert category.flagged == expected.flagged[name]
            assert category.trigger == expected.triggers[name]
            np.testing.assert_allclose(category.probabilities, expected.probabilities[name], atol=1e-6)
        flagged = any(expected.flagged.values())
        assert rated.action == ("flag" if flagged else "allow")
        assert {rule.category for rule in rated.rules} == {n for n, f in expected.flagged.items() if f}


def test_the_window_that_triggered_holds_the_word(client: TestClient) -> None:
    text = TEXTS[3]
    (rated,) = client.post("/v1/rate", json={"input": text}).json()["results"]
    start, end = rated["categories"]["Toxicity"]["trigger"]
    assert rated["windows"] > 1
    assert "awful" in text[start:end]


def test_moderations_speak_openais_names_and_ours(client: TestClient, guard: Guard) -> None:
    answered = client.post(
        "/v1/moderations", json={"input": ["awful", "a kind day"], "model": "omni-moderation-latest"}
    )
    answer = ModerationAnswer.model_validate(answered.json())
    bad, good = answer.results
    rating, _ = guard.rate(["awful", "a kind day"])
    p = {name: values[0] for name, values in rating.probabilities.items()}
    assert bad.flagged
    assert not good.flagged
    assert bad.category_scores["Toxicity"] == pytest.approx(p["Toxicity"], abs=1e-6)
    assert bad.category_scores["sexual"] == pytest.approx(p["SexualContent"], abs=1e-6)
    assert bad.category_scores["hate/threatening"] == pytest.approx(min(p["IdentityAttack"], p["Violence"]), abs=1e-6)
    assert bad.category_scores["illicit"] is None
    assert bad.categories["illicit"] is None
    assert bad.category_applied_input_types["illicit"] == []


def test_the_parts_of_an_input_are_one_text(client: TestClient) -> None:
    parts = [{"type": "text", "text": "awful"}, {"type": "text", "text": "awful"}]
    (result,) = client.post("/v1/moderations", json={"input": parts}).json()["results"]
    assert result["flagged"]
    image = [{"type": "image_url", "image_url": {"url": "https://example.org/x.png"}}]
    assert client.post("/v1/moderations", json={"input": image}).status_code == 422


def test_chat_guard_rates_the_last_turn_and_its_answer(client: TestClient) -> None:
    messages = [
        {"role": "system", "content": "awful"},
        {"role": "user", "content": "awful"},
        {"role": "assistant", "content": "awful"},
        {"role": "user", "content": [{"type": "text", "text": "a kind day"}]},
    ]
    first = ChatGuardAnswer.model_validate(client.post("/v1/chat/guard", json={"messages": messages}).json())
    assert first.action == "allow"
    assert first.assistant is None
    messages.append({"role": "assistant", "content": "an awful day"})
    second = ChatGuardAnswer.model_validate(client.post("/v1/chat/guard", json={"messages": messages}).json())
    assert (second.action, second.user and second.user.action) == ("flag", "allow")
    assert second.assistant is not None
    assert second.assistant.action == "flag"


def test_a_growing_answer_is_not_run_from_its_beginning(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    run: list[int] = []
    score = guard.engine.score
    monkeypatch.setattr(guard.engine, "score", lambda windows: (run.append(len(windows)), score(windows))[1])
    # Every window is another one, so that none is found because the text repeats itself.
    answer = " ".join("".join("abcdefghij"[int(digit)] for digit in str(number)) for number in range(150)) + " awful"
    whole = guard.encode(answer)
    with client_of(guard) as client:
        for end in range(40, len(answer) + 40, 40):
            messages = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": answer[:end]}]
            last = client.post("/v1/chat/guard", json={"messages": messages}).json()
        steps = len(range(40, len(answer) + 40, 40))
        reused = client.get("/metrics").text
    ran = sum(run)
    (expected,) = guard.rate([answer])
    found = last["assistant"]["categories"]
    for name, values in expected.probabilities.items():
        np.testing.assert_allclose(found[name]["probabilities"], values, atol=1e-5)
        assert tuple(found[name]["trigger"]) == expected.triggers[name]
    # Each step may add windows and changes the last two at most; from the beginning it would be half of all a step.
    assert ran < 1 + len(whole.windows) + 2 * steps + 2
    assert len(whole.windows) * steps / 2 > 4 * ran
    assert "babelguard_windows_reused " in reused


def test_the_language_is_identified_where_none_is_given(guard: Guard) -> None:
    identifier = LanguageIdentifier()
    with client_of(guard, language={"identify": True}) as client:
        text = "Heute ist das Wetter wirklich schön und wir gehen spazieren."
        languages = [None, "fr", None, "und", "und-Cyrl"]
        answer = client.post("/v1/rate", json={"input": [text, text, "123", text, text], "languages": languages}).json()
    first, second, third, *undetermined = (result["language"] for result in answer["results"])
    assert undetermined == [first, first]  # und says that the language is not known, so nothing is said
    assert (first["tag"], first["given"], first["calibration"]) == ("de", False, "de")
    assert first["confidence"] > 0.5
    assert (second["tag"], second["given"], second["confidence"]) == ("fr", True, None)
    assert third["tag"] is None
    assert identifier.identify("今天天氣很好,我們去公園散步").tag == "zh-Hant"
    assert identifier.identify("今天天气很好,我们去公园散步").tag == "zh-Hans"
    assert identifier.identify("\ud800 \u202e 😀").tag is None


def test_the_policy_decides_and_its_version_is_in_every_response(guard: Guard, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "format: 1\nname: strict\nversion: 7\nevery_category: {block: {level: 2}}\n"
        "block_lists: [{name: tea, entries: [tea], action: flag}]\n",
        encoding="utf-8",
    )
    with client_of(guard, policy) as client:
        answered = client.post("/v1/rate", json={"input": ["awful", "good tea"]})
        bad, tea = answered.json()["results"]
        assert answered.json()["policy"]["version"] == "7"
        assert answered.headers["x-babelguard-policy"].startswith("strict 7 ")
    assert bad["action"] == "block"
    assert tea["action"] == "flag"
    assert tea["rules"][0]["spans"] == [[5, 8]]


def test_a_policy_that_breaks_while_serving_leaves_the_old_one_in_force(guard: Guard, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"

    def put(rest: str) -> None:
        """Replace the file at once, as editors do; a half-written one would be a broken one for a moment."""
        new = tmp_path / "new.yaml"
        new.write_text(f"format: 1\nname: x\n{rest}\n", encoding="utf-8")
        new.replace(policy)

    def version() -> str:
        return str(client.post("/v1/rate", json={"input": "tea"}).json()["policy"]["version"])

    put("version: 1")
    with client_of(guard, policy, policy_seconds=0.02) as client:
        put("version: 2\ncategories: {Nonsense: {flag: 0.5}}")
        eventually(lambda: client.get("/readyz").json()["policy_is_stale"])
        assert version() == "1"
        put("version: 3")
        eventually(lambda: version() == "3")
        assert not client.get("/readyz").json()["policy_is_stale"]
        metrics = client.get("/metrics").text
    assert "babelguard_policy_reloads 1.0" in metrics
    assert "babelguard_policy_failures 1.0" in metrics


def test_metrics_count_decisions_by_category_and_language(guard: Guard) -> None:
    with client_of(guard) as client:
        client.post("/v1/rate", json={"input": ["awful", "a kind day"], "language": "de"})
        client.post("/v1/rate", json={"input": "a kind day"})
        metrics = client.get("/metrics").text.splitlines()
    assert 'babelguard_decisions_total{action="flag",category="Insult",language="de"} 1.0' in metrics
    assert 'babelguard_texts_total{action="allow",language="unknown"} 1.0' in metrics
    assert 'babelguard_request_seconds_count{route="/v1/rate",status="200"} 2.0' in metrics
    assert "babelguard_texts_in_hand 0.0" in metrics
    assert not any("awful" in line or "kind" in line for line in metrics)


def test_health_ready_and_docs(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json()["guard"] == "tiny-0.0.1"
    for path in ("/healthz", "/readyz"):
        head = client.head(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == client.get(path).headers["content-length"]
    assert client.get("/docs").status_code == 200
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/v1/moderations", "/v1/rate", "/v1/chat/guard", "/healthz", "/readyz", "/metrics"} <= set(paths)


def test_the_apps_lifespan_ends_with_everything_answered_and_nothing_more_accepted(guard: Guard) -> None:
    with client_of(guard) as client:
        assert client.post("/v1/rate", json={"input": "tea"}).status_code == 200
    refused = client.post("/v1/rate", json={"input": "tea"})
    assert refused.status_code == 503
    assert "retry-after" in refused.headers
    assert json.loads(refused.content)["error"]["code"] == "closing"
    assert client.get("/readyz").status_code == 503
