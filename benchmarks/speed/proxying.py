"""What `toolgen proxy` adds to a call: the same server alone and behind it, in turns, over pipes.

`python benchmarks/speed/proxying.py [CALLS]` prints microseconds a call: median and 99th percentile.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

SERVER = Path(__file__).parents[2] / "tests" / "mcp_server_under_test.py"
ALONE = [sys.executable, str(SERVER), "stays"]
SIDES = {"alone": ALONE, "behind the proxy": [sys.executable, "-m", "toolgen", "proxy", "--", *ALONE]}
ROUNDS = 5


def line(arguments: object) -> bytes:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    return json.dumps({**request, "params": {"name": "count", "arguments": arguments}}).encode() + b"\n"


CALLS = {"valid": line({"limit": 5}), "refused": line({"limit": "5"})}


def micros(process: subprocess.Popen[bytes], sent: bytes, calls: int) -> list[float]:
    assert process.stdin is not None
    assert process.stdout is not None
    times = []
    for _ in range(calls):
        started = time.perf_counter()
        process.stdin.write(sent)
        process.stdin.flush()
        process.stdout.readline()
        times.append((time.perf_counter() - started) * 1e6)
    return times


def main(calls: int) -> None:
    pipe = subprocess.PIPE
    running = {side: subprocess.Popen(words, stdin=pipe, stdout=pipe) for side, words in SIDES.items()}
    seen: dict[tuple[str, str], list[float]] = {}
    for _ in range(ROUNDS + 1):  # the first round warms up
        for side, process in running.items():
            for what, sent in CALLS.items():
                kept = seen.setdefault((what, side), [])
                kept += micros(process, sent, calls // ROUNDS) if kept else []
                seen[what, side] = kept or micros(process, sent, calls // ROUNDS)[:1]
    for (what, side), times in seen.items():
        print(
            f"{what:8} {side:17} {statistics.median(times):7.0f} {statistics.quantiles(times, n=100)[98]:7.0f}"
        )
    for process in running.values():
        process.kill()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("calls", nargs="?", type=int, default=5_000, help="how many calls of each kind")
    main(parser.parse_args().calls)
