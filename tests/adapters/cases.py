"""What every adapter must do, as data: wrong calls to real MCP servers, what the answer says, and the next call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DATA = HERE / "served"
"""The folder that the filesystem server may read."""


def command(server: str) -> tuple[str, list[str]]:
    """Return the program and the arguments that start a server: `time`, `git`, `fetch`, `everything`, ..., `odd`.

    The servers are where `scripts/frameworks.py` installed them, in the folder `TOOLGEN_SERVERS`.
    """
    if server == "odd":
        return sys.executable, [str(HERE / "odd_server.py")]
    folder = Path(os.environ["TOOLGEN_SERVERS"])
    if server in ("time", "git", "fetch"):
        return str(folder / "servers" / "bin" / f"mcp-server-{server}"), []
    script = folder / "node" / "node_modules" / ".bin" / f"mcp-server-{server}"
    return str(script), [str(DATA)] if server == "filesystem" else []


def environment(server: str, folder: Path) -> dict[str, str]:
    """Return the variables to start a server with; `folder` is where it may keep what it writes."""
    own = {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")} if server == "memory" else {}
    return {"PATH": os.environ["PATH"], **own}


@dataclass(frozen=True)
class Case:
    """A wrong call, what the model must be told, and the call that it makes then.

    `sent` is the text that the model wrote. A seam that has no text is given `arguments`, or leaves the case out
    where there are none: the framework has refused them, or has made something else of them, before.
    """

    name: str
    server: str
    tool: str
    sent: str
    told: tuple[str, ...]
    """Parts of the answer, each."""
    fixed: dict[str, Any]
    answer: str
    """A part of what the tool says to `fixed`."""
    fixed_tool: str = ""
    """The tool of the next call, where the first one's name was wrong."""
    kind: str = "invalid_parameters"
    recovery: str = "correct"

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The object that `sent` is; None where it is not one."""
        try:
            value = json.loads(self.sent)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None

    @property
    def next_tool(self) -> str:
        """The tool of the next call."""
        return self.fixed_tool or self.tool


BERLIN = {"source_timezone": "Europe/Berlin", "time": "12:30", "target_timezone": "Asia/Tokyo"}
CASES = [
    Case(
        "wrong type",
        "time",
        "convert_time",
        json.dumps({**BERLIN, "time": 1230}),
        ("convert_time was not run", "time", '"1230"'),
        BERLIN,
        "Asia/Tokyo",
    ),
    Case(
        "wrong type, nested",
        "memory",
        "create_entities",
        json.dumps({"entities": [{"name": "Ada", "entityType": "person", "observations": "likes tea"}]}),
        ("create_entities was not run", "observations", "array"),
        {"entities": [{"name": "Ada", "entityType": "person", "observations": ["likes tea"]}]},
        "Ada",
    ),
    Case(
        "misspelt value",
        "everything",
        "get-structured-content",
        json.dumps({"location": "new york"}),
        ("get-structured-content was not run", "New York"),
        {"location": "New York"},
        "temperature",
    ),
    Case(
        "misspelt key",
        "filesystem",
        "read_text_file",
        json.dumps({"Path": str(DATA / "note.txt")}),
        ("read_text_file was not run", '"path"', '"Path"'),
        {"path": str(DATA / "note.txt")},
        "a note",
    ),
    Case(
        "unknown tool",
        "time",
        "get_curent_time",
        json.dumps({"timezone": "Europe/Berlin"}),
        ("get_curent_time", "get_current_time"),
        {"timezone": "Europe/Berlin"},
        "Europe/Berlin",
        fixed_tool="get_current_time",
        kind="unknown_tool",
    ),
    Case(
        "malformed JSON",
        "time",
        "get_current_time",
        '{"timezone": "Europe/Berlin" "x": }',
        ("get_current_time was not run", "a comma is missing"),
        {"timezone": "Europe/Berlin"},
        "Europe/Berlin",
    ),
    Case(
        "cut-off JSON",
        "time",
        "convert_time",
        '{"source_timezone": "Europe/Berlin", "time": "12:',
        ("convert_time was not run", "cut off"),
        BERLIN,
        "Asia/Tokyo",
        recovery="retry",
    ),
    Case(
        "absent arguments",
        "time",
        "get_current_time",
        "",
        ("get_current_time was not run", "timezone", "add the key"),
        {"timezone": "Europe/Berlin"},
        "Europe/Berlin",
    ),
    Case(
        "list for object",
        "time",
        "get_current_time",
        '["Europe/Berlin"]',
        ("get_current_time was not run", "object"),
        {"timezone": "Europe/Berlin"},
        "Europe/Berlin",
    ),
    Case(
        "awkward keys",
        "odd",
        "keys",
        json.dumps({"self": "a", "ctx": "b", "config": "c", "run_manager": 4, "name": "e"}),
        ("keys was not run", "run_manager", '"4"'),
        {"self": "a", "ctx": "b", "config": "c", "run_manager": "d", "name": "e"},
        'ran keys {"config": "c", "ctx": "b", "name": "e", "run_manager": "d", "self": "a"}',
    ),
]
"""Each is tried with every framework."""


@dataclass(frozen=True)
class Passed:
    """A call that must run as it is, and reach the tool whole."""

    name: str
    server: str
    tool: str
    sent: str
    answer: str
    arguments: dict[str, Any] = field(default_factory=dict)


AWKWARD = {"title": "t", "self": 1, "ctx": [2], "config": {"a": 3}, "run_manager": None, "name": "n"}
PASSED = [
    Passed("no arguments", "odd", "ping", "", "ran ping {}"),
    Passed("an empty object", "odd", "ping", "{}", "ran ping {}"),
    Passed(
        "keys that the schema leaves open",
        "odd",
        "open",
        json.dumps(AWKWARD),
        f"ran open {json.dumps(AWKWARD, sort_keys=True)}",
        AWKWARD,
    ),
]
"""Calls that no adapter may change."""

REPORTED = ("odd", "report", {"text": "boom"}, "the report failed: boom")
"""A right call whose result has `isError`."""

CHANGED = (
    "odd",
    "grow",
    ("added", {"count": "3"}, {"count": 3}),
    ("shape", {"sides": 3}, {"sides": "three"}),
)
"""After `grow`: (tool, wrong arguments, right ones) of a new tool and of one whose schema is another."""


OWN_MODEL = {"crewai", "google_adk", "llama_index"}
"""The frameworks whose examples write a scripted model, since the framework has none."""


def example(framework: str) -> str:
    """Return the output of a framework's script in `examples/agents`, run as a reader runs it."""
    script = HERE.parents[1] / "examples" / "agents" / f"{framework}_agent.py"
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "invalid_parameters" not in done.stderr, "a line of the log, which nobody has set up"
    assert len(script.read_text("utf-8").splitlines()) <= (60 if framework in OWN_MODEL else 40)
    return done.stdout
