"""The time that `toolgen proxy` adds to a call over pipes: the same server alone and behind it, one call each in turn.

`python benchmarks/speed/proxying.py [PAIRS]` prints microseconds per call: the minimum and the median of each side, the
median of the differences within a pair, and the processor time of the proxy. Calls of a pair have the same load.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

SERVER = Path(__file__).parents[2] / "tests" / "helpers" / "mcp_server_under_test.py"
ALONE = [sys.executable, str(SERVER), "stays"]
PROXIED = [sys.executable, "-m", "toolgen", "proxy", "--", *ALONE]


def line(arguments: object) -> bytes:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    return json.dumps({**request, "params": {"name": "count", "arguments": arguments}}).encode() + b"\n"


CALLS = {"valid": line({"limit": 5}), "refused": line({"limit": "5"})}


def micros(process: subprocess.Popen[bytes], sent: bytes) -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    started = time.perf_counter()
    process.stdin.write(sent)
    process.stdin.flush()
    process.stdout.readline()
    return (time.perf_counter() - started) * 1e6


def processor_micros(process: subprocess.Popen[bytes]) -> float:
    """Return the processor time of a process so far (Linux, /proc)."""
    fields = Path(f"/proc/{process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") * 1e6


def main(pairs: int) -> None:
    pipe = subprocess.PIPE
    alone, proxied = (subprocess.Popen(words, stdin=pipe, stdout=pipe) for words in (ALONE, PROXIED))
    for what, sent in CALLS.items():
        for _ in range(50):  # warm up
            micros(alone, sent), micros(proxied, sent)
        computed = processor_micros(proxied)
        taken = [(micros(alone, sent), micros(proxied, sent)) for _ in range(pairs)]
        computed = (processor_micros(proxied) - computed) / pairs
        for side, times in zip(("alone", "behind the proxy"), zip(*taken, strict=True), strict=True):
            print(f"{what:8} {side:17} least {min(times):6.0f}  median {statistics.median(times):6.0f}")
        added = statistics.median(behind - before for before, behind in taken)
        print(f"{what:8} {'added':17} median {added:6.0f}  processor time of the proxy {computed:6.0f}")
    print(f"{pairs} pairs; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    alone.kill()
    proxied.terminate()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "pairs", nargs="?", type=int, default=5_000, help="how many pairs of each kind of call"
    )
    main(parser.parse_args().pairs)
