"""`toolgen export`: every shape from every other, what is lost, and the same tools back."""

from __future__ import annotations

import ast
import itertools
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import document, failure, toolgen
from helpers.support import TEXT, JsonObject, for_each, for_each_at_once, obj, specs_of, write_json

from toolgen.commands.export.export import PROVIDERS, export
from toolgen.compiler.containment.containment import is_contained
from toolgen.compiler.schema.lower import lower
from toolgen.compiler.specs.tool_spec import ToolSpec

PLAIN: list[JsonObject] = [
    {
        "name": "create-issue",
        "description": "Résumé ☃, with <tags> and \\ signs.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "title": {"type": "string", "minLength": 1, "pattern": "^[^\\n]+$"},
                "size": {"type": ["integer", "null"], "minimum": 1e3, "default": None},
                "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
            },
            "required": ["title"],
            "additionalProperties": False,
            "$defs": {"row": {"anyOf": [{"type": "number"}, {"const": 12345678901234567890}]}},
        },
    },
    {"name": "no_fields", "inputSchema": {"type": "object"}},
]
DATA = {
    "title": "Create an issue",
    "annotations": {"readOnlyHint": False},
    "outputSchema": {"type": "object"},
    "icons": [{"src": "data:,"}],
}
ROOTS: JsonObject = {
    "a union": {"anyOf": [obj(a=TEXT), {"type": "object"}]},
    "no type": {"properties": {"a": TEXT}},
    "true": True,
    "false": False,
    "a text": TEXT,
    "a list": {"type": "array", "items": TEXT},
    "a reference": {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "required": ["x"]}}},
    "an object": {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "a condition": {"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}},
}
NAMES = ("a.b", "a/b", "x" * 65, "x" * 128, "Ünï", "9lives", "a b", "create_issue", "_x", "-x")


def read(value: Any) -> list[ToolSpec]:
    return specs_of(value)


def facts(tools: list[ToolSpec]) -> list[tuple[str, str, str]]:
    """What makes a tool; OpenAI's shapes have `properties` in every object, be it none."""
    return [(tool.name, tool.description, text_of(tool.schema)) for tool in tools]


def text_of(schema: Any) -> str:
    return json.dumps({"properties": {}, **schema} if isinstance(schema, dict) else schema, sort_keys=True)


def mean_same(before: ToolSpec, after: ToolSpec) -> bool:
    """Whether it is proved that two tools take the same payloads."""
    old, new = lower(before).root, lower(after).root
    assert old is not None
    assert new is not None
    return is_contained(old, new) and is_contained(new, old)


@for_each_at_once(list(itertools.product(PROVIDERS, PROVIDERS)))
def test_tools_come_back_equal_by_way_of_any_two_shapes(first: Any, second: Any) -> None:
    tools = read({"tools": PLAIN})
    there = export(tools, first)
    back = export(read(there.value), second)
    assert (there.diagnostics, back.diagnostics) == ((), ())
    assert facts(read(back.value)) == facts(tools)
    assert facts(read(export(read(back.value), first).value)) == facts(tools)


@pytest.mark.parametrize("shape", PROVIDERS)
def test_what_only_mcp_has_is_kept_by_it_and_said_of_the_others(shape: str) -> None:
    tools = read({"tools": [{**PLAIN[0], **DATA}, PLAIN[1]]})
    exported = export(tools, shape)
    if shape == "mcp":
        assert exported.diagnostics == ()
        assert exported.value == {"tools": [{**PLAIN[0], **DATA}, PLAIN[1]]}
    else:
        (lost,) = exported.diagnostics
        assert (lost.code, lost.level, lost.tool) == ("lossy-export", "warning", "create-issue")
        assert all(key in lost.message for key in DATA)


@for_each_at_once(product(PROVIDERS, ROOTS))
def test_a_schema_comes_back_equal_or_the_loss_is_said(shape: Any, root: Any) -> None:
    tools = read({"tools": [{"name": "a", "description": "A.", "schema": ROOTS[root]}]})
    exported = export(tools, shape)
    (before,), (after,) = tools, read(exported.value)
    same = facts([after]) == facts(tools) or mean_same(before, after)
    assert same or [lost.code for lost in exported.diagnostics], exported.value
    assert all(
        lost.tool == "a" and lost.place.pointer.startswith("/tools/0") for lost in exported.diagnostics
    )


def test_a_loss_of_many_tools_is_reported_once_with_a_count() -> None:
    tools = read({"tools": [{**PLAIN[0], "name": f"t{n}", "title": "A title"} for n in range(7)]})
    (lost,) = export(tools, "openai").diagnostics
    assert lost.message == (
        "openai tools have no title: left out, in 7 tools: 't0', 't1', 't2', 't3', 't4' and 2 more"
    )


@pytest.mark.parametrize("shape", PROVIDERS)
def test_a_name_comes_back_equal_or_the_new_one_is_said(shape: str) -> None:
    tools = read({"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in NAMES]})
    exported = export(tools, shape)
    renamed = {lost.tool for lost in exported.diagnostics}
    back = read(exported.value)
    assert len({tool.name for tool in back}) == len(NAMES)
    assert {old.name for old, new in zip(tools, back, strict=True) if old.name != new.name} == renamed
    assert "create_issue" not in renamed
    assert ("a.b" in renamed) is (shape not in ("mcp", "gemini", "gemini-interactions"))


def test_a_stub_is_python_whatever_its_description_ends_with(workplace: Path) -> None:
    write_json("tools.json", [{"name": "say", "description": 'Say "hi"', "schema": obj(a=TEXT)}])
    ast.parse(toolgen("export", "tools.json", "--to", "python-stubs").stdout)


def test_the_command_writes_a_spec_file_and_says_what_is_lost(workplace: Path) -> None:
    Path("specs").mkdir()
    write_json("specs/a.json", {"tools": [{**PLAIN[0], **DATA}]})
    write_json("specs/b.json", {"tools": [PLAIN[1]]})
    result = toolgen("export", "specs", "--to", "bedrock", "-o", "tools.json")
    assert (result.exit_code, result.stdout) == (0, "tools.json: written (2 tools)\n")
    (line,) = result.stderr.splitlines()
    assert line.startswith("specs/a.json:1:")
    assert "warning[lossy-export] tool 'create-issue'" in line
    assert toolgen("list", "tools.json").exit_code == 0
    shown = toolgen("export", "specs", "--to", "openai", "--quiet")
    assert (shown.stderr, len(json.loads(shown.stdout)["tools"])) == ("", 2)
    report = document("export", "specs", "--to", "gemini")
    assert (report["exit"], report["result"]["losses"], len(read(report["result"]["value"]))) == (0, 1, 2)
    failure("export", "specs", "--to", "x")
    failure("export", "specs")


@for_each(["openai", "openai-responses", "anthropic", "bedrock", "mcp"])
def test_tools_are_exported_strict(shape: str) -> None:
    schema = obj(a=TEXT, b={"prefixItems": [{}], "type": "array"})
    specs = read([{"name": "f", "inputSchema": ROOTS["no type"]}, {"name": "g", "inputSchema": schema}])
    exported = export(specs, shape, strict=True)
    wrote = json.dumps(exported.value)
    assert wrote.count('"strict": true') == (0 if shape == "mcp" else 1)
    lost = [(d.tool, d.place.pointer) for d in exported.diagnostics if "strict" in d.message]
    assert lost == ([("", "")] if shape == "mcp" else [("g", "/1/inputSchema/properties/b")])


ARRAYS: list[tuple[Any, Any]] = [
    ({"type": "array"}, {"type": "array", "items": {}}),
    ({"type": ["array", "null"]}, {"type": ["array", "null"], "items": {}}),
    (
        {"type": "array", "items": {"type": "array"}},
        {"type": "array", "items": {"type": "array", "items": {}}},
    ),
    ({"type": "object", "default": {"type": "array"}}, {"type": "object", "default": {"type": "array"}}),
]


@pytest.mark.parametrize("shape", PROVIDERS)
@pytest.mark.parametrize(("written", "of_openai"), ARRAYS)
def test_an_array_has_items_where_openai_requires_them(written: Any, of_openai: Any, shape: str) -> None:
    schema = obj(a=written)
    exported = export(read([{"name": "f", "description": "F.", "schema": schema}]), shape)
    assert exported.diagnostics == ()
    (back,) = read(exported.value)
    expected = of_openai if shape.startswith("openai") else written
    assert back.schema == {**schema, "properties": {"a": expected}}
