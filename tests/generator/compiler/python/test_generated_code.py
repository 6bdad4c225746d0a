"""Generated text: the same bytes everywhere, each tool's alone, every text of a spec a literal, few imports."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from helpers.support import files_of, for_each, put_package, python

TOOLS: list[dict[str, Any]] = [
    {
        "name": f"tool-{letter}",
        "description": f"Does {letter}.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "kind": {"enum": ["a", "b", letter]},
                "tree": {"$ref": "#/$defs/Tree"},
                "when": {"type": "string", "format": "date", "pattern": r"^\d", "default": "x"},
                "u": {
                    "oneOf": [{"properties": {"t": {"const": t}}, "required": ["t"]} for t in ("one", "two")]
                },
            },
            "patternProperties": {"^x-": {"const": {"k": ["v"]}}},
            "dependentRequired": {"kind": ["when"]},
            "required": ["kind"],
            "additionalProperties": False,
            "$defs": {"Tree": {"properties": {"up": {"$ref": "#/$defs/Tree"}, letter: {"type": "integer"}}}},
        },
    }
    for letter in "cab"
]
BUILD = "import json, sys; from helpers.support import files_of; print(json.dumps(files_of(json.load(sys.stdin))))"


def elsewhere(script: str, stdin: str, cwd: Path, **variables: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    done = python("-c", script, input=stdin, cwd=cwd, env=environment)
    return done.stdout


PLACES: list[dict[str, str]] = [
    {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "4242", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo", "PYTHONUTF8": "0", "PATH": ""},
]


@for_each(PLACES, ids=["C", "Tokyo"])
def test_the_same_bytes_anywhere(variables: dict[str, str], *, tmp_path: Path) -> None:
    assert json.loads(elsewhere(BUILD, json.dumps(TOOLS), tmp_path, **variables)) == files_of(TOOLS)


def test_a_tool_s_files_depend_on_it_alone() -> None:
    whole = files_of(TOOLS)
    for changed in (TOOLS[::-1], TOOLS[1:], TOOLS[:1], [*TOOLS, {"name": "tool_d", "inputSchema": {}}]):
        other = files_of(changed)
        shared = {path for path in whole.keys() & other.keys() if "__init__" not in path}
        assert {path for path in shared if whole[path] != other[path]} == set()
        assert len(shared) >= 2 * min(len(changed), len(TOOLS))
    assert files_of(TOOLS[::-1]) == whole


WATCHED = {"typing", "pydantic", "json", "dataclasses", "toolgen"}
"""What importing a package and validating load not; `re` and `enum` come with the first pattern."""
IMPORTS = """
import sys
before = set(sys.modules)
import agent_tools
first = {m for m in sys.modules if m.startswith("agent_tools.")}
tool = agent_tools.toolset["tool-a"]
assert tool.validate({"kind": "a", "when": "2024-02-29"}) == []
assert len(tool.validate({"kind": "x", "tree": 5, "other": 1})) == 3
print(sorted(first), sorted(set(sys.modules) - before))
"""


def test_importing_and_validating_load_little(tmp_path: Path) -> None:
    put_package(tmp_path, "agent_tools", TOOLS)
    # Isolated from `site`, which itself loads some of what is watched for.
    search = [
        str(tmp_path),
        *(str(Path(importlib.import_module(m).__file__ or "").parents[1]) for m in ("toolgen_runtime",)),
    ]
    script = f"import sys; sys.path[:0] = {search!r}\n{IMPORTS}"
    done = python("-S", "-E", "-c", script)
    loaded_tools, loaded = done.stdout.strip().split("] [")
    assert loaded_tools == "[", "importing the package loads no tool"
    names = {name.strip("' ]") for name in loaded.split(",")}
    assert "agent_tools.tool_a" in names
    assert "agent_tools.tool_b" not in names
    assert not names & WATCHED
