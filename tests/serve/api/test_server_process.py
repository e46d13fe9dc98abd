"""The server as it is started by people: what only sockets, signals and a process of its own can show."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import openai
import pytest

from tests.serve.api.conftest import ServerProcess, eventually, serving
from tests.serve.api.raw_http import KEY, connection, in_hand, request_head
from tests.serve.refused_start import refused_start

CANARY = "zyxcanaryzyx"
HEADERS = {"authorization": f"Bearer {KEY}"}


@pytest.fixture(scope="module")
def server(tiny: Path) -> Iterator[ServerProcess]:
    with serving(str(tiny), "--set", "threads=1", environment={"BABELGUARD_API_KEYS": f"tests:{KEY}"}) as started:
        yield started


def test_the_official_client_gets_a_moderation(server: ServerProcess) -> None:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=KEY, max_retries=0) as client:
        one = client.moderations.create(input="awful")
        several = client.moderations.create(model="omni-moderation-latest", input=["a kind day", "awful"])
        with pytest.raises(openai.UnprocessableEntityError):
            client.moderations.create(input=[])
    assert one.model == "tiny-0.0.1"
    assert one.results[0].flagged
    assert one.results[0].categories.harassment
    assert one.results[0].category_scores.self_harm > 0.5
    assert not one.results[0].categories.sexual_minors
    assert [result.flagged for result in several.results] == [False, True]
    with (
        openai.OpenAI(base_url=f"{server.url}/v1", api_key="wrong", max_retries=0) as stranger,
        pytest.raises(openai.AuthenticationError),
    ):
        stranger.moderations.create(input="tea")


def test_a_body_of_ten_megabytes_is_refused_and_the_server_goes_on(server: ServerProcess) -> None:
    with httpx2.Client(headers=HEADERS, timeout=60) as client:
        refused = client.post(f"{server.url}/v1/rate", json={"input": "a" * 10_000_000})
        assert refused.status_code == 413
        assert client.post(f"{server.url}/v1/rate", json={"input": "a"}).status_code == 200


def test_no_text_reaches_the_logs(server: ServerProcess) -> None:
    with httpx2.Client(headers=HEADERS, timeout=60) as client:
        for path, body in (
            ("/v1/moderations", {"input": CANARY}),
            ("/v1/rate", {"input": [CANARY], "language": CANARY}),
            ("/v1/rate", {CANARY: CANARY}),
            ("/v1/chat/guard", {"messages": [{"role": CANARY, "content": CANARY}]}),
            ("/v1/chat/guard", {"messages": [{"role": "user", "content": CANARY}]}),
            (f"/v1/{CANARY}", {}),
        ):
            answered = client.post(f"{server.url}{path}?{CANARY}={CANARY}", json=body)
            assert answered.status_code < 500
            assert CANARY not in answered.text
        client.post(f"{server.url}/v1/rate", content=b'{"input": "' + CANARY.encode() + b"\xff")
        client.get(f"{server.url}/{CANARY}", headers={CANARY: CANARY, "authorization": f"Bearer {CANARY}"})
        metrics = client.get(f"{server.url}/metrics").text
    eventually(lambda: len(server.events("request")) >= 7)
    assert CANARY not in server.output
    assert CANARY not in metrics
    assert KEY not in server.output
    last = server.events("request")[-1]
    assert {"request", "route", "status", "ms"} <= set(last)


def test_clients_that_leave_are_forgotten_and_sigterm_loses_nothing_accepted(tiny: Path) -> None:
    # A batch that waits for more holds requests in the middle of their way.
    waiting = ["--set", "batching.maximum_wait_ms=5000", "--set", "batching.batch_tokens=1000000", "--set", "threads=1"]
    with serving(str(tiny), *waiting) as server:
        body = json.dumps({"input": ["tea"] * 50}).encode()
        with connection(server) as leaving:
            leaving.sendall(request_head(len(body)) + body)
            eventually(lambda: in_hand(server) == 50)
        eventually(lambda: in_hand(server) == 0)
        eventually(lambda: [event["status"] for event in server.events("request")] == [499])

        def ask(number: int) -> tuple[int, int]:
            answered = httpx2.post(f"{server.url}/v1/rate", json={"input": ["awful"] * (number + 1)}, timeout=60)
            return answered.status_code, len(answered.json()["results"])

        with ThreadPoolExecutor(8) as clients:
            asked = [clients.submit(ask, number) for number in range(8)]
            eventually(lambda: in_hand(server) == 36)
            stopping = threading.Thread(target=server.stop)
            stopping.start()
            assert [each.result(60) for each in asked] == [(200, number + 1) for number in range(8)]
            stopping.join(60)
        assert server.process.poll() is not None
        with pytest.raises(OSError, match="refused"):
            connection(server)


def test_a_bundle_with_a_flipped_bit_is_not_served(tiny: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(tiny, damaged)
    model = damaged / "model.fp32.onnx"
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 1
    model.write_bytes(content)
    assert "model.fp32.onnx" in refused_start(str(damaged), "--port", "0")
