"""Print the absolute time of a call on this machine: the table of docs/project/stability.md.

`python benchmarks/speed/cost.py`; it needs the extra `dynamic` and no data. Each time is the best of five rounds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from timeit import Timer
from typing import Any

from toolgen import compile_tools
from toolgen_runtime import Registry

SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "priority": {"enum": ["low", "high"]}},
    "required": ["title"],
}
RIGHT, WRONG = '{"title": "Bug", "priority": "high"}', '{"Title": "Bug", "priority": "HIGH"}'
IMPORT = "import time; a = time.perf_counter(); import {0}; print(time.perf_counter() - a)"


def microseconds(work: Callable[[], Any]) -> str:
    """Return the time of one call of `work`, as text."""
    timer = Timer(work)
    number, _ = timer.autorange()
    return f"{min(timer.repeat(5, number)) / number * 1e6:,.1f} µs"


def milliseconds(module: str) -> str:
    """Return the time that a fresh interpreter takes to import a module, as text."""
    command = [sys.executable, "-c", IMPORT.format(module)]
    times = [float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(5)]
    return f"{min(times) * 1e3:,.1f} ms"


def handler(payload: dict[str, Any]) -> str:
    return str(payload["title"])


def first_check() -> None:
    """Compile a tool that the process has not seen, and check a call."""
    name = f"tool{next(NUMBERS)}"
    compile_tools([{"name": name, "inputSchema": SCHEMA}])[name].validate_json(RIGHT)


def main() -> None:
    registry = Registry()
    registry.register(compile_tools([{"name": "create_issue", "inputSchema": SCHEMA}]))
    call = registry.call
    rows = {
        "valid call: parse, check, run, encode": microseconds(lambda: call("create_issue", RIGHT, handler)),
        "wrong call, with the text for the model": microseconds(
            lambda: call("create_issue", WRONG, handler).text()
        ),
        "`compile_tools` of one new tool, with its first check": microseconds(first_check),
        "`import toolgen_runtime`": milliseconds("toolgen_runtime"),
        "`import pydantic`, for comparison": milliseconds("pydantic"),
    }
    print("| what | time |\n| --- | --- |")
    for what, time in rows.items():
        print(f"| {what} | {time} |")


NUMBERS = iter(range(10**9))

if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    main()
