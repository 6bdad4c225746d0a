"""The pace of `toolgen audit` at reading recorded calls, and its memory.

    python benchmarks/audit/run.py                  1,000,000 calls
    python benchmarks/audit/run.py 10_000_000       the given number of calls
    python benchmarks/audit/run.py --keep calls.jsonl

The calls are those of `examples/specs`: valid ones of each tool, and wrong ones of the kinds that models make, with
numbers and texts that differ from call to call. `--invalid` is the share of wrong ones. The peak is the sum of
the resident memory of all processes of the command, which counts shared memory more than once. The last line
compares its processor time with that of a plain loop, which only counts the invalid calls (orjson, jsonschema-rs).
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson

ROOT = Path(__file__).parents[2]
SPECS = ROOT / "examples" / "specs" / "tracker.json"
BATCH = 10_000
Arguments = dict[str, Any]

TITLES = ("Login broken on Safari", "Export times out", "Wrong total on invoices", "Search finds nothing")
PRIORITIES = ("low", "medium", "high", "urgent")


def valid(pick: random.Random, number: int) -> tuple[str, Arguments]:
    """Return a call that is valid under its schema."""
    tool = pick.choice(("create_issue", "create_issue", "search_issues", "list_projects"))
    if tool == "create_issue":
        arguments: Arguments = {"project": "OPS", "title": f"{pick.choice(TITLES)} ({number})"}
        if pick.random() < 0.7:
            arguments["priority"] = pick.choice(PRIORITIES)
        if pick.random() < 0.5:
            arguments["labels"] = [f"team-{pick.randrange(40)}", "auth"]
        return tool, arguments
    return tool, {"text": f"login {number}"} if tool == "search_issues" else {}


def wrong(pick: random.Random, number: int) -> tuple[str, Arguments]:
    """Return a call of `create_issue` with one or two mistakes."""
    arguments: Arguments = {"project": "OPS", "title": f"{pick.choice(TITLES)} ({number})"}
    for mistake in pick.sample(("priority", "labels", "title", "links", "due"), pick.choice((1, 1, 2))):
        if mistake == "title":
            arguments["name"] = arguments.pop("title")
        else:
            arguments[mistake] = {
                "priority": pick.choice(("HIGH", "P1", "critical")),
                "labels": '["auth", "safari"]',
                "links": [{"relation": "blocked", "issue": f"OPS-{number + 1}"}],
                "due": "tomorrow",
            }[mistake]
    return "create_issue", arguments


def lines(count: int, invalid: float) -> Iterator[str]:
    """Yield the calls as lines, always the same ones; a quarter has its arguments as text, as OpenAI's calls have."""
    pick = random.Random(19)
    for number in range(count):
        tool, arguments = (wrong if pick.random() < invalid else valid)(pick, number)
        sent: Any = json.dumps(arguments) if number % 4 == 0 else arguments
        yield json.dumps({"tool": tool, "arguments": sent}) + "\n"


def write(path: Path, count: int, invalid: float) -> None:
    """Write the file of calls."""
    with path.open("w", encoding="utf-8") as stream:
        batch: list[str] = []
        for line in lines(count, invalid):
            batch.append(line)
            if len(batch) == BATCH:
                stream.writelines(batch)
                batch.clear()
        stream.writelines(batch)


class Memory(threading.Thread):
    """Watches the resident memory of a process and of all its descendants (Linux)."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.root, self.peak, self.largest, self.ended = root, 0, 0, threading.Event()

    def run(self) -> None:
        while not self.ended.wait(0.1):
            sizes = [rss(pid) for pid in family(self.root)]
            self.peak, self.largest = max(self.peak, sum(sizes)), max(self.largest, *sizes, 0)


def family(root: int) -> list[int]:
    """Return a process and all its descendants."""
    found = [root]
    for pid in found:
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                continue
    return found


def rss(pid: int) -> int:
    """Return the resident memory of a process in MiB; 0 if it has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) >> 10 for line in text.splitlines() if line.startswith("VmRSS:")), 0)


def plain(path: Path) -> float:
    """Return the seconds of processor time of a loop that only counts the invalid calls."""
    tools = json.loads(SPECS.read_text("utf-8"))
    listed = tools["tools"] if isinstance(tools, dict) else tools
    checks = {
        tool["name"]: jsonschema_rs.validator_for(schema_of(tool), validate_formats=True) for tool in listed
    }
    start, invalid = time.process_time(), 0
    with path.open("rb") as stream:
        for line in stream:
            record = orjson.loads(line)
            sent = record["arguments"]
            arguments = orjson.loads(sent) if isinstance(sent, str) else sent
            invalid += not checks[record["tool"]].is_valid(arguments)
    return time.process_time() - start


def schema_of(tool: dict[str, Any]) -> Any:
    """Return the input schema of a tool spec."""
    return next(tool[key] for key in ("inputSchema", "input_schema", "parameters") if key in tool)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("calls", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--invalid", type=float, default=0.05)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--keep", type=Path, help="where the file of calls is, or is to stay")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.keep or Path(folder) / "calls.jsonl"
        if not path.exists():
            write(path, given.calls, given.invalid)
        measure(path, given.jobs)


def measure(path: Path, jobs: int | None) -> None:
    """Run the command on a file, and print its pace and its memory."""
    command = [
        sys.executable,
        "-m",
        "toolgen",
        "audit",
        str(path),
        "--specs",
        str(SPECS),
        "--output-format",
        "json",
    ]
    start = time.monotonic()
    child = subprocess.Popen([*command, *(["--jobs", str(jobs)] if jobs else [])], stdout=subprocess.PIPE)
    memory = Memory(child.pid)
    memory.start()
    out, _ = child.communicate()
    seconds = time.monotonic() - start
    memory.ended.set()
    found = json.loads(out)["result"]
    print(f"{found['calls']:,} calls, {found['invalid']:,} invalid, {path.stat().st_size / 2**20:,.0f} MiB")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = used.ru_utime + used.ru_stime
    print(f"{seconds:.1f} s: {found['calls'] / seconds:,.0f} calls a second")
    print(f"{processor:.1f} s of processor time: {found['calls'] / processor:,.0f} calls a second of it")
    loop = plain(path)
    print(f"{processor / loop:.1f} times the {loop:.1f} s of a plain loop")
    print(f"peak resident memory: {memory.peak} MiB in all processes, {memory.largest} MiB in the largest")


if __name__ == "__main__":
    main()
