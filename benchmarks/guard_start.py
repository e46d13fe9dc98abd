"""A guard's start and memory: from a new process to the first rating, and what stays resident.

    python benchmarks/guard_start.py BUNDLE

Each measurement is a process of its own that imports `serve`, verifies and loads the bundle, warms it up, and then
rates a hundred texts and one of 6,000 words. The baseline is a process that only imports onnxruntime.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

MEASURE = """
import json, os, sys, time
def resident():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1]) / 1024
def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) / 1024
def since_start():
    ticks = float(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
found = {}
bundle, threads = sys.argv[1], int(sys.argv[2])
if bundle == "-":
    import onnxruntime, tokenizers
    print(json.dumps({"seconds": since_start(), "cpu": time.process_time(), "ready": resident()}))
    raise SystemExit
from serve import Guard
guard = Guard.load(bundle, threads=threads)
found |= {"seconds": since_start(), "cpu": time.process_time(), "ready": resident(), "engine": str(guard.engine)}
words = "one two three four five six seven eight nine ten".split()
guard.rate([" ".join(words[n % 10] for n in range(k % 60)) for k in range(100)])
found |= {"hundred": resident()}
guard.rate(["seven eight nine " * 2_000])
found |= {"long": resident(), "peak": peak()}
print(json.dumps(found))
"""


def main() -> None:
    """Print seconds and megabytes, best and worst of several processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    empty = measure("-", chosen.threads)
    print(f"onnxruntime and tokenizers alone: {empty['seconds']:.2f} s, {empty['ready']:.0f} MB")
    runs = [measure(str(chosen.bundle), chosen.threads) for _ in range(chosen.repeats)]
    size = sum(path.stat().st_size for path in chosen.bundle.rglob("*") if path.is_file()) / 1e6
    print(f"bundle of {size:.1f} MB, {runs[0]['engine']}")
    print(
        f"start to ready: {min(r['seconds'] for r in runs):.2f} to {max(r['seconds'] for r in runs):.2f} s, of ", end=""
    )
    print(f"which {min(r['cpu'] for r in runs):.2f} s of processor time")
    for key, words in (("ready", "ready"), ("hundred", "after 100 texts"), ("long", "after one of 6,000 words")):
        print(f"resident, {words}: {max(r[key] for r in runs):.0f} MB")
    print(f"peak: {max(r['peak'] for r in runs):.0f} MB")


def measure(bundle: str, threads: int) -> dict[str, float]:
    """Run one process."""
    command = [sys.executable, "-c", MEASURE, bundle, str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
