"""SIGTERM when there is more to do than time, and SIGHUP."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import httpx2

from tests.serve.api.conftest import eventually, serving
from tests.serve.api.raw_http import answers_of, connection, in_hand, read_all, request_head

# A batch that waits for more holds requests in the middle of their way.
HOLDING = ("batching.maximum_wait_ms=10000", "batching.batch_tokens=1000000", "threads=1", "shutdown_seconds=1")
OPTIONS = [part for each in HOLDING for part in ("--set", each)]


def test_what_cannot_be_answered_before_the_deadline_is_told_so(tiny: Path) -> None:
    body = json.dumps({"input": ["tea"] * 5}).encode()
    with serving(str(tiny), *OPTIONS) as server, connection(server) as waiting, connection(server) as sending:
        waiting.sendall(request_head(len(body), "/v1/moderations") + body)
        sending.sendall(request_head(len(body)).replace(b"Host: x", b"Host: x\r\nExpect: 100-continue"))
        assert b" 100 " in sending.recv(100)  # its body is waited for
        eventually(lambda: in_hand(server) == 5)
        server.process.send_signal(signal.SIGTERM)
        for stream in (waiting, sending):
            ((status, headers, answer),) = answers_of(read_all(stream))
            assert (status, answer["error"]["code"], answer["error"]["type"]) == (503, "closing", "server_error")
            assert int(headers["retry-after"]) >= 1
            assert headers["connection"].lower() == "close"
            assert "x-request-id" in headers
        server.process.wait(60)
        server.stop_reading()
        assert "trace" not in server.output
        assert "Cancel" not in server.output
        assert [event["status"] for event in server.events("request")] == [503, 503]
        assert {event["refused"] for event in server.events("request")} == {"closing"}


def test_sighup_makes_the_server_look_at_the_policy_and_go_on(tiny: Path, tmp_path: Path) -> None:
    policy, new = tmp_path / "policy.yaml", tmp_path / "new.yaml"
    policy.write_text("format: 1\nname: x\nversion: 1\n", encoding="utf-8")
    options = ["--policy", str(policy), "--set", "policy_seconds=100000", "--set", "threads=1"]
    with serving(str(tiny), *options) as server:
        new.write_text("format: 1\nname: x\nversion: 2\n", encoding="utf-8")
        new.replace(policy)
        server.process.send_signal(signal.SIGHUP)
        eventually(lambda: bool(server.events("policy in force")))
        assert server.events("loaded")[0]["policy"] == "x 1"
        for remark in (server.events("loaded")[0]["policy_remark"], server.events("policy in force")[0]["remark"]):
            assert "allows everything" in remark
        assert httpx2.get(f"{server.url}/readyz", timeout=30).json()["policy"]["version"] == "2"
        server.process.send_signal(signal.SIGHUP)
        assert httpx2.get(f"{server.url}/healthz", timeout=30).status_code == 200
        server.stop()
