"""Output schemas are compiled by build, lint and an export to MCP: an error is a warning with its place."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import toolgen
from helpers.support import for_each, write_json

BROKEN = {
    "a reference to nothing": (
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}},
        "/properties/a/$ref",
        "cannot be resolved",
    ),
    "a type that does not exist": ({"type": "objct"}, "/type", "not 'objct'"),
    "no list of names": ({"type": "object", "required": None}, "/required", "an array of strings"),
}


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLGEN_CACHE_DIR", str(tmp_path / "cache"))


def write(output: Any) -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    tool = {"name": "look", "description": "Look at it.", "inputSchema": schema, "outputSchema": output}
    write_json("spec.json", {"tools": [tool]})


@for_each(product(["build", "lint", "export --to mcp -o out.json"], BROKEN))
def test_a_broken_output_schema_is_a_warning(command: str, case: str) -> None:
    output, pointer, words = BROKEN[case]
    write(output)
    name, *options = command.split()
    for _ in range(2):  # a build with the cache says it again
        result = toolgen(name, "spec.json", *options)
        assert "warning[broken-output-schema] tool 'look': the output schema is broken: " in result.stderr
        assert words in result.stderr
        assert f"#/tools/0/outputSchema{pointer}\n" in result.stderr
        assert result.exit_code == 0


def test_a_root_that_is_not_an_object_is_a_note_for_those_who_offer_the_tool() -> None:
    write({"type": "array", "items": {}})
    assert "note[broken-output-schema]" in toolgen("lint", "spec.json").stderr
    assert (
        "note[broken-output-schema]" in toolgen("export", "spec.json", "--to", "mcp", "-o", "o.json").stderr
    )
    assert toolgen("build", "spec.json").stderr == ""
