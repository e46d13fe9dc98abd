"""The HTTP API under load: throughput, latency, overload, start, memory; beside the engine and what else one would use.

    python benchmarks/serving.py --encoder FOLDER --texts FILE.jsonl --fields Prompt Completion
    python benchmarks/serving.py --bundle serve/starter/bundle --texts FILE.jsonl

FOLDER and FILE are as in benchmarks/engine.py, which also makes the bundle (int8 by default) with a fresh head. The
load comes from wrk (Debian's package), on the same machine, so that it takes its part of the cores. Printed are:

1. start to ready, and resident memory then;
2. texts a second of `Guard.rate` on all cores, and of `POST /v1/moderations`, one text a request, from 64 clients; by
   the clock, and by processor time of each process, which other work on the machine disturbs less;
3. latency below saturation: a quarter and a half of the capacity offered, texts of one length and, at half, the mixed
   ones: p50, p99 and their ratio;
4. overload: more than 5 times the capacity offered to a short queue, in long texts, so that wrk needs little of the
   cores: every answer is 200 or 503; memory, the time of a lone request, and the capacity before and after;
5. transformers' pipeline with the same weights behind FastAPI, from the same clients.

llm-guard's toxicity scanner is not among them: its model comes from a model hub alone.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classifier import mixed_lengths
from engine import make_bundle, with_head

REPOSITORY = Path(__file__).resolve().parents[1]
TICKS = os.sysconf("SC_CLK_TCK")
WORDS, LONG_WORDS = 20, 150
CLIENTS_BELOW, CLIENTS_BEYOND = 8, 400
FLOOD = 7
"""Times the capacity that is aimed at in overload: accepted requests keep their clients waiting, so that less comes."""

SCRIPT = """
local bodies = {}
for line in io.lines("%(bodies)s") do bodies[#bodies + 1] = line end
local at, threads, pause = 0, {}, %(pause)f
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
function setup(thread) table.insert(threads, thread) end
function init(args) ok, busy, other = 0, 0, 0; math.randomseed(7) end
function request()
  at = at %% #bodies + 1
  return wrk.format(nil, nil, nil, bodies[at])
end
if pause > 0 then function delay() return -pause * math.log(1 - math.random()) end end
function response(status)
  if status == 200 then ok = ok + 1 elseif status == 503 then busy = busy + 1 else other = other + 1 end
end
function done(summary, latency)
  local ok, busy, other = 0, 0, 0
  for _, t in ipairs(threads) do ok, busy, other = ok + t:get("ok"), busy + t:get("busy"), other + t:get("other") end
  local e = summary.errors
  io.write(string.format(
    'RESULT {"seconds": %%f, "ok": %%d, "busy": %%d, "other": %%d, "broken": %%d, "p50": %%f, "p99": %%f}\\n',
    summary.duration / 1e6, ok, busy, other, e.connect + e.read + e.write + e.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
"""


@dataclass(frozen=True)
class Load:
    """What wrk saw; latencies in milliseconds."""

    seconds: float
    ok: int
    busy: int
    other: int
    broken: int
    p50: float
    p99: float
    processor_seconds: float

    @property
    def texts_per_second(self) -> float:
        """Answers with 200 in a second."""
        return self.ok / self.seconds


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, help="make a bundle from it; or give one")
    parser.add_argument("--bundle", type=Path, help="measure this bundle, without the pipeline")
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--fields", nargs="+", default=["Prompt", "Completion"])
    parser.add_argument("--precision", default="int8")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=int, default=20, help="of each load")
    parser.add_argument("--count", type=int, default=512)
    parser.add_argument("--tokens", type=int, help="prune the vocabulary to its first tokens")
    parser.add_argument("--keep", type=Path, help="folder in which model and bundle stay for another time")
    parser.add_argument("--queue-texts", type=int, default=64, help="what the overloaded server accepts at most")
    parser.add_argument("--no-pipeline", action="store_true")
    chosen = parser.parse_args()
    if (chosen.encoder is None) == (chosen.bundle is None):
        parser.error("give --encoder or --bundle")
    texts = mixed_lengths(chosen.texts, chosen.fields, chosen.count)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        if chosen.bundle is not None:
            measure_ours(chosen.bundle, chosen, texts, work)
            return
        kept = chosen.keep or work
        torch_folder, bundle = kept / "torch", kept / "bundle"
        if not (bundle / "SHA256SUMS").exists() or not (chosen.no_pipeline or torch_folder.exists()):
            model = with_head(chosen.encoder, torch_folder)
            make_bundle(model, torch_folder, bundle, texts, chosen.tokens)
        ours = measure_ours(bundle, chosen, texts, work)
        if not chosen.no_pipeline:
            measure_pipeline(torch_folder, chosen, texts, work, ours)


def measure_ours(bundle: Path, chosen: argparse.Namespace, texts: Sequence[str], work: Path) -> Load:
    """Measure our server, and the engine without it; return what 64 clients got."""
    engine_rate, engine_cost = engine_alone(bundle, chosen.precision, texts)
    print(f"engine alone: {engine_rate:.1f} texts/s, {engine_cost * 1000:.2f} ms of processor time a text")
    with our_server(bundle, chosen.precision) as (port, process, started):
        print(f"start to ready: {started:.2f} s; resident then: {resident(process):.0f} MB")
        mixed = bodies(texts, work / "mixed.jsonl")
        load(port, mixed, chosen.clients, 3, work)  # warm
        before = processor_seconds(process.pid)
        busy = load(port, mixed, chosen.clients, chosen.seconds, work)
        cost = (processor_seconds(process.pid) - before) / max(busy.ok, 1)
        both = cost + busy.processor_seconds / max(busy.ok, 1)
        print(
            f"HTTP, {chosen.clients} clients: {busy.texts_per_second:.1f} texts/s "
            f"({busy.texts_per_second / engine_rate:.0%} of the engine's by the clock); {cost * 1000:.2f} ms of "
            f"processor time a text ({engine_cost / cost:.0%} of it the engine's, {engine_cost / both:.0%} "
            f"with wrk's); p50 {busy.p50:.0f} ms, p99 {busy.p99:.0f} ms; 200: {busy.ok}, "
            f"else: {busy.busy + busy.other + busy.broken}"
        )
        even = equal_texts(texts, WORDS, work)
        capacity = load(port, even, chosen.clients, chosen.seconds // 2, work).texts_per_second
        for name, lines, most, share in (
            (f"texts of {WORDS} words", even, capacity, 0.25),
            (f"texts of {WORDS} words", even, capacity, 0.5),
            ("mixed lengths", mixed, busy.texts_per_second, 0.5),
        ):
            pause = 1000 * CLIENTS_BELOW / (share * most)
            calm = load(port, lines, CLIENTS_BELOW, chosen.seconds, work, pause=pause)
            print(
                f"below saturation, {name}: {calm.texts_per_second:.1f} of {most:.1f} texts/s; "
                f"p50 {calm.p50:.1f} ms, p99 {calm.p99:.1f} ms, ratio {calm.p99 / calm.p50:.1f}"
            )
    overload(bundle, chosen, equal_texts(texts, LONG_WORDS, work), work)
    return busy


def overload(bundle: Path, chosen: argparse.Namespace, lines: Path, work: Path) -> None:
    """Offer more than five times the capacity to a server with a short queue."""
    short = ["--set", f"batching.queue_texts={chosen.queue_texts}", "--set", "limits.texts=64"]
    with our_server(bundle, chosen.precision, short) as (port, process, _):
        capacity = load(port, lines, chosen.clients, max(5, chosen.seconds // 2), work).texts_per_second
        lone, memory = lone_request(port), resident(process)
        pause = 1000 * CLIENTS_BEYOND / (FLOOD * capacity)
        flood = load(port, lines, CLIENTS_BEYOND, chosen.seconds, work, pause=pause)
        after = lone_request(port)
        offered = (flood.ok + flood.busy + flood.other) / flood.seconds
        print(
            f"overload, texts of {LONG_WORDS} words, {offered / capacity:.1f} times the capacity of {capacity:.1f}/s: "
            f"200: {flood.ok} ({flood.texts_per_second:.1f}/s), 503: {flood.busy}, other: {flood.other}, "
            f"broken: {flood.broken}; a lone request {lone:.1f} ms before, {after:.1f} ms after; "
            f"resident {memory:.0f} MB before, {resident(process):.0f} MB after"
        )
        again = load(port, lines, chosen.clients, max(5, chosen.seconds // 2), work)
        memory = resident(process)
        print(f"right after: {again.texts_per_second:.1f} texts/s, 503: {again.busy}, resident {memory:.0f} MB")


def equal_texts(texts: Sequence[str], words: int, work: Path) -> Path:
    """Write the bodies of two hundred requests that have the texts' words dealt out evenly."""
    dealt = itertools.cycle(word for text in texts for word in text.split())
    return bodies([" ".join(itertools.islice(dealt, words)) for _ in range(200)], work / f"even-{words}.jsonl")


def measure_pipeline(folder: Path, chosen: argparse.Namespace, texts: Sequence[str], work: Path, ours: Load) -> None:
    """Measure the pipeline behind FastAPI."""
    port = free_port()
    command = [sys.executable, str(Path(__file__).with_name("serving_pipeline.py")), str(folder), str(port)]
    process = subprocess.Popen(command, cwd=REPOSITORY)
    try:
        wait_for(port, process)
        mixed = bodies(texts, work / "mixed.jsonl")
        load(port, mixed, chosen.clients, 3, work)
        theirs = load(port, mixed, chosen.clients, chosen.seconds, work)
        print(
            f"pipeline behind FastAPI, {chosen.clients} clients: {theirs.texts_per_second:.1f} texts/s, "
            f"p50 {theirs.p50:.0f} ms, p99 {theirs.p99:.0f} ms, broken: {theirs.broken}; resident "
            f"{resident(process):.0f} MB; ours is {ours.texts_per_second / theirs.texts_per_second:.1f} times as fast"
        )
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def engine_alone(bundle: Path, precision: str, texts: Sequence[str]) -> tuple[float, float]:
    """Return the engine's texts a second on all cores, and its processor seconds a text; best of three."""
    from serve import Guard

    guard = Guard.load(bundle, precision=precision, tuning="throughput")
    found = []
    for _ in range(3):
        wall, used = time.perf_counter(), time.process_time()
        guard.rate(texts)
        found.append((time.perf_counter() - wall, time.process_time() - used))
    return len(texts) / min(wall for wall, _ in found), min(used for _, used in found) / len(texts)


@contextmanager
def our_server(
    bundle: Path, precision: str, options: Sequence[str] = ()
) -> Iterator[tuple[int, subprocess.Popen[bytes], float]]:
    """Start `serve.run`; yield its port, its process, and the seconds from start to ready."""
    port = free_port()
    command = [sys.executable, "-m", "serve.run", str(bundle), "--port", str(port), "--set", f"precision={precision}"]
    with tempfile.TemporaryFile() as log:
        begin = time.perf_counter()
        process = subprocess.Popen([*command, *options], cwd=REPOSITORY, stdout=log, stderr=log)
        try:
            wait_for(port, process)
            yield port, process, time.perf_counter() - begin
        finally:
            process.terminate()
            process.wait(60)


def load(port: int, lines: Path, clients: int, seconds: int, work: Path, pause: float = 0) -> Load:
    """Run wrk; `pause` is the mean time in milliseconds for which each client waits before a request."""
    script = work / "load.lua"
    script.write_text(SCRIPT % {"bodies": lines, "pause": pause}, encoding="utf-8")
    url = f"http://127.0.0.1:{port}/v1/moderations"
    command = ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "30s", "-s", str(script), url]
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds + 90)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))
    return Load(**json.loads(line.removeprefix("RESULT ")), processor_seconds=used)


def bodies(texts: Sequence[str], path: Path) -> Path:
    """Write the bodies of requests, one a line."""
    path.write_text("".join(json.dumps({"input": text}) + "\n" for text in texts), encoding="utf-8")
    return path


def lone_request(port: int) -> float:
    """Return the median time of a request that is alone, in milliseconds; what came before may still be leaving."""
    times: list[float] = []
    for _ in range(100):
        try:
            ask(port, "/v1/moderations", {"input": "the weather is kind today"})
            break
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            time.sleep(0.05)
    for _ in range(15):
        begin = time.perf_counter()
        ask(port, "/v1/moderations", {"input": "the weather is kind today"})
        times.append((time.perf_counter() - begin) * 1000)
    return sorted(times)[len(times) // 2]


def ask(port: int, path: str, body: dict[str, Any]) -> bytes:
    """Return the answer to one request."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return bytes(answer.read())


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a server listens."""
    while process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.02)
    raise SystemExit(f"the server ended with {process.returncode} before it listened")


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def resident(process: subprocess.Popen[bytes]) -> float:
    """Return the resident memory of a process, in MB."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


if __name__ == "__main__":
    main()
