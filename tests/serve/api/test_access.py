from __future__ import annotations

import base64
import json
import logging
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from babelguard.errors import UserError
from serve.api.audit import AuditLog, audited_files
from serve.api.keys import KeyRing
from serve.api.logs import JsonFormatter
from serve.api.rate_limits import RateLimit
from serve.api.settings import ApiSettings, AuditSettings, ServeRecipe
from serve.guard import Guard
from serve.serving import serve
from tests.serve.api.conftest import client_of

KEY, OTHER = "k" * 20, "o" * 20


def test_keys_come_from_the_environment_by_name() -> None:
    ring = KeyRing.from_environment("KEYS", {"KEYS": f" shop:{KEY} , {OTHER}"})
    assert ring is not None
    assert ring.caller(f"Bearer {KEY}") == "shop"
    assert ring.caller(f"bearer  {OTHER} ") == "key-2"
    assert ring.caller("Basic " + base64.b64encode(f"anyone:{KEY}".encode()).decode()) == "shop"
    for wrong in (None, "", KEY, f"Bearer {KEY}x", "Bearer", "Basic !!", "Basic " + base64.b64encode(b"\xff").decode()):
        assert ring.caller(wrong) is None
    assert KeyRing.from_environment("KEYS", {}) is None


@pytest.mark.parametrize("value", ["", " , ", "short", f"a:{KEY},a:{OTHER}", f"bad name:{KEY}"])
def test_keys_that_are_wrong_are_told_without_showing_them(value: str) -> None:
    with pytest.raises(UserError) as error:
        KeyRing.from_environment("KEYS", {"KEYS": value})
    assert KEY not in str(error.value)
    assert "KEYS" in str(error.value)


def test_with_keys_set_none_is_answered_without_one(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BABELGUARD_API_KEYS", f"shop:{KEY}")
    right = {"authorization": f"Bearer {KEY}"}
    with client_of(guard) as client:
        for path in ("/v1/moderations", "/v1/rate"):
            refused = client.post(path, json={"input": "a"}, headers={"authorization": "Bearer wrong"})
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
            assert refused.json()["error"]["type"] == "authentication_error"
            assert client.post(path, json={"input": "a"}, headers=right).status_code == 200
        assert client.get("/metrics").status_code == 401
        assert client.get("/metrics", headers=right).status_code == 200
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200
        assert "securitySchemes" in client.get("/openapi.json").json()["components"]


def test_rates_are_limited_by_caller(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BABELGUARD_API_KEYS", f"a:{KEY},b:{OTHER}")
    with client_of(guard, limits={"requests_per_minute": 3, "texts_per_minute": 5}) as client:

        def ask(key: str, texts: int) -> int:
            answered = client.post(
                "/v1/rate", json={"input": ["a"] * texts}, headers={"authorization": f"Bearer {key}"}
            )
            if answered.status_code == 429:
                assert int(answered.headers["retry-after"]) >= 1
            return answered.status_code

        assert [ask(KEY, 4), ask(KEY, 4), ask(KEY, 1), ask(KEY, 1)] == [200, 429, 200, 429]
        assert ask(OTHER, 5) == 200


def test_a_bucket_fills_steadily_and_lets_through_what_is_larger_than_it() -> None:
    now = 0.0
    limit = RateLimit(60, lambda: now)
    assert limit.take("a", 60) == 0
    assert limit.take("a", 1) == 1
    assert limit.take("b", 100) == 0
    assert limit.take("b", 1) == 41
    now = 10.0
    assert limit.take("a", 10) == 0
    assert limit.take("a", 1) == 1


def test_cors_is_off_unless_origins_are_named(guard: Guard) -> None:
    asked = {"origin": "https://example.org", "access-control-request-method": "POST"}
    with client_of(guard) as client:
        assert "access-control-allow-origin" not in client.options("/v1/rate", headers=asked).headers
    with client_of(guard, cors_origins=["https://example.org"]) as client:
        allowed = client.options("/v1/rate", headers=asked).headers
        assert allowed["access-control-allow-origin"] == "https://example.org"
        other = client.options("/v1/rate", headers={**asked, "origin": "https://elsewhere.org"})
        assert "access-control-allow-origin" not in other.headers


def test_docs_and_metrics_can_be_off(guard: Guard) -> None:
    with client_of(guard, docs=False, metrics="off") as client:
        assert {client.get(path).status_code for path in ("/docs", "/openapi.json", "/metrics")} == {404}


def test_the_audit_log_keeps_a_share_without_texts_for_some_days(guard: Guard, tmp_path: Path) -> None:
    for day in ("2001-01-01", "2999-01-01"):
        (tmp_path / f"audit-{day}.jsonl").write_text("{}\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("kept", encoding="utf-8")
    with client_of(guard, audit={"folder": str(tmp_path), "share": 1.0}) as client:
        answered = client.post("/v1/rate", json={"input": ["canary awful", "tea"], "language": "en"})
    old, new = audited_files(tmp_path)
    assert new.name == "audit-2999-01-01.jsonl"
    assert (tmp_path / "notes.txt").exists()
    records = [json.loads(line) for line in old.read_text(encoding="utf-8").splitlines()]
    assert {record["action"] for record in records} == {"flag", "allow"}
    assert all(len(record["text_sha256"]) == 64 and record["language"] == "en" for record in records)
    assert {record["request"] for record in records} == {answered.headers["x-request-id"]}
    assert {record["guard"] for record in records} == {answered.json()["model"]}
    assert {record["policy"] for record in records} == {answered.headers["x-babelguard-policy"]}
    assert "canary" not in old.read_text(encoding="utf-8")
    assert old.stat().st_mode & 0o077 == 0


def test_the_audit_log_draws_and_counts_what_it_loses(tmp_path: Path) -> None:
    losses: list[int] = []
    draws = iter([0.4, 0.6, 0.1])
    folder = tmp_path / "audit"
    log = AuditLog(
        AuditSettings(folder=folder, share=0.5, texts=True),
        lambda: losses.append(1),
        lambda: datetime(2026, 1, 2, tzinfo=UTC),
        lambda: next(draws),
    )
    log.offer("first", lambda: {"n": 1})
    log.offer("second", lambda: {"n": 2})
    log.offer("third \ud800", lambda: {"n": 3})
    log.close()
    lines = (folder / "audit-2026-01-02.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["text"] for line in lines] == ["first", "third \ud800"]
    assert losses == []


def test_an_audit_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="audit log cannot be kept"):
        AuditLog(AuditSettings(folder=tmp_path / "file" / "x"), lambda: None)


def test_logs_show_where_an_error_was_and_not_what_it_said() -> None:
    def record(name: str, message: str) -> dict[str, object]:
        try:
            raise ValueError("canary")
        except ValueError:
            made = logging.LogRecord(name, logging.ERROR, __file__, 1, message, (), sys.exc_info())
        return dict(json.loads(JsonFormatter().format(made)))

    ours = record("uvicorn.error", "Exception in ASGI application")
    assert ours["exception"] == "ValueError"
    assert "test_access.py" in str(ours["trace"])
    assert "canary" not in str(ours)
    assert "canary" not in str(record("some.library", "canary"))


def test_limits_that_cannot_be_met_are_told() -> None:
    with pytest.raises(ValueError, match="could never be accepted"):
        ApiSettings.model_validate({"batching": {"queue_texts": 10}})


def test_a_server_that_others_reach_needs_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BABELGUARD_API_KEYS", raising=False)
    monkeypatch.setattr("serve.api.logs.configure_logging", lambda level: None)
    with pytest.raises(UserError, match="BABELGUARD_API_KEYS"):
        serve(ServeRecipe(host="0.0.0.0"))
