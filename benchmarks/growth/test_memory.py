"""Processes that live long: nothing grows with tools that come and go, and their calls."""

from __future__ import annotations

import gc
import logging
import sys
import threading
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from helpers.proxy_client import LineClient

from toolgen import compile_tools
from toolgen.package.compiled_tools import MOST_KEPT
from toolgen_runtime import Conversation

LONG = 100_000


def spec(number: int) -> dict[str, Any]:
    members = {
        f"field{number}": {"type": "string", "pattern": f"^a{number}[b-z]+$"},
        "n": {"enum": [f"v{number}", f"w{number}"]},
        "inner": {"type": "object", "properties": {f"k{number}": {"type": "integer"}}},
    }
    return {
        "name": f"tool{number}",
        "description": f"Does {number}. " * 20,
        "inputSchema": {
            "type": "object",
            "properties": members,
            "required": [f"field{number}"],
            "additionalProperties": False,
        },
        "outputSchema": {"type": "object", "properties": {f"r{number}": {"type": "string"}}},
    }


def use(number: int) -> None:
    """Compile a tool that there was not before, and call it rightly and wrongly."""
    conversation = Conversation(compile_tools([spec(number)]), check_results="note")
    name = f"tool{number}"
    assert conversation.call(name, {f"field{number}": f"a{number}b"}, lambda _: {"r": 1}).executed
    wrong = {f"feild{number}": "x", f"{number}" + "y" * LONG: 1, "n": "x" * LONG, "inner": {f"q{number}": 2}}
    for arguments in (wrong, '{"n": "zz", ' + f"'{number}'"):
        assert not conversation.call(name, arguments, lambda _: None).executed


def grown(warm: int, calls: int) -> int:
    """Bytes that calls leave behind, beyond what those before them had left."""
    logging.disable(logging.CRITICAL)  # pytest keeps what is logged
    tracemalloc.start()  # before the first: caches that are full let go of what came then
    try:
        before = 0
        for number in range(warm + calls):
            if number == warm:
                gc.collect()
                before = tracemalloc.get_traced_memory()[0]
            use(number)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
        logging.disable(logging.NOTSET)


def assert_nothing_grows(warm: int, calls: int, most: int) -> None:
    use(0)  # loads what is loaded at the first use
    modules = len(sys.modules)
    left = grown(warm, calls)
    assert left < most, f"{left} bytes after {calls} compiles"
    # The last 1,000 checks of results stay compiled (`toolgen.package.compiled_tools.MOST_KEPT`).
    assert len(sys.modules) <= modules + min(warm + calls, MOST_KEPT) + 16


def test_nothing_grows_with_tools_that_come_and_go() -> None:
    """20 payloads with texts of 100,000 characters: keeping one of each would take 2 MB."""
    assert_nothing_grows(warm=15, calls=20, most=1_000_000)


@pytest.mark.long
def test_nothing_grows_over_two_thousand_compiles() -> None:
    assert_nothing_grows(warm=1500, calls=2000, most=1_500_000)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_a_line_of_empty_lists_takes_little_memory() -> None:
    """24 MB took 640 MB."""
    line = b'{"method": "x", "params": [' + b",".join([b"[]"] * 8_000_000) + b"]}\n"
    client = LineClient([sys.executable, "-m", "toolgen", "proxy", "--", "sleep", "300"])

    def write() -> None:
        with suppress(OSError, ValueError):  # the proxy is killed meanwhile
            client.write(line)

    threading.Thread(target=write, daemon=True).start()
    deadline, peak = time.monotonic() + 6, 0
    try:
        while time.monotonic() < deadline:
            status = Path(f"/proc/{client.process.pid}/status").read_text()
            peak = max(peak, int(status.partition("VmHWM:")[2].split()[0]))
            time.sleep(0.1)
    finally:
        client.process.kill()
        client.wait()
    assert 60_000 < peak < 250_000
