"""`toolgen lint`: each finding, what leaves it out, and how it is reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lint_reference
import pytest
from click.testing import Result
from helpers.commands import document, toolgen
from helpers.support import (
    ROOT,
    TEXT,
    JsonObject,
    for_each,
    for_each_at_once,
    obj,
    read_json,
    table,
    write_json,
)

from toolgen.commands.lint import shapes
from toolgen.commands.lint.subject import shown
from toolgen.compiler.diagnostics import CODES
from toolgen.compiler.lint_codes import LINT_CODES

pytestmark = pytest.mark.usefixtures("workplace")


EXAMPLES: dict[str, dict[str, list[JsonObject]]] = lint_reference.EXAMPLES


def lint(tools: Any, *args: str) -> Result:
    write_json("tools.json", tools)
    return toolgen("lint", "tools.json", *args)


def findings(tools: Any, *args: str) -> list[JsonObject]:
    return json.loads(lint(tools, *args, "--output-format", "json").stdout)["diagnostics"]


def codes(tools: Any, *args: str) -> list[str]:
    return [finding["code"] for finding in findings(tools, *args)]


def test_every_code_has_an_example_and_no_other_meaning() -> None:
    assert EXAMPLES.keys() == LINT_CODES.keys()
    assert not LINT_CODES.keys() & CODES.keys()


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_finding_is_where_it_should_be_and_nowhere_else(code: str) -> None:
    bad, good = EXAMPLES[code]["bad"], EXAMPLES[code]["good"]
    providers = ("--provider", "openai", "--provider", "claude-directory")
    found = codes(bad, *providers)
    assert found.count(code) == 1
    assert code not in codes(good, *providers)


def test_the_page_of_findings_is_current() -> None:
    page = (ROOT / "docs" / "lint.md").read_text("utf-8")
    assert page == lint_reference.page(), "run: python scripts/lint_reference.py"


OPEN = obj(a=TEXT)
CASES = table("lint.json")


@for_each_at_once(CASES["texts"])
def test_orders_are_told_from_descriptions(text: Any, is_order: Any) -> None:
    schema = obj(a={"type": "string", "description": text})
    found = codes([{"name": "tool", "description": "One tool.", "schema": schema}])
    assert ("instructing-text" in found) is is_order


def test_a_required_key_may_be_declared_where_nothing_refers_to_it() -> None:
    parts = {"page": {"type": "object", "properties": {"page_id": TEXT}, "required": ["page_id"]}}
    tool = {"name": "tool", "description": "One tool.", "schema": {**OPEN, "$defs": parts}}
    assert "unknown-required" not in codes([tool])


def test_the_tokens_of_tools_and_files_are_listed() -> None:
    tools = [
        {"name": n, "description": "word " * 40 * size, "schema": {}} for n, size in (("b", 1), ("a", 9))
    ]
    total = "tools.json: 2 tools, about 522 tokens in every request"
    assert total in lint(tools).stdout
    assert document("lint", "tools.json")["result"]["tokens"] == {"tools.json": 522}
    listed = toolgen("list", "tools.json", "--tokens").stdout.splitlines()
    assert [line.split() for line in listed[:2]] == [["461", "a", "tools.json"], ["61", "b", "tools.json"]]
    assert listed[2] == total
    result = document("list", "tools.json", "--tokens")["result"]
    assert result["files"] == {"tools.json": 522}
    assert [tool["tokens"] for tool in result["tools"]] == [461, 61]


@for_each(CASES["hinted"])
def test_annotations_contradict_each_other_or_the_first_verb(
    name: Any, annotations: Any, is_found: Any
) -> None:
    schema = {"type": "object", "additionalProperties": False}
    found = codes([{"name": name, "description": "One.", "inputSchema": schema, "annotations": annotations}])
    assert found == (["contradictory-annotations"] if is_found else [])


ALL = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}


@for_each(CASES["required"])
def test_a_directory_says_which_annotations_it_requires(given: Any, expected: Any) -> None:
    schema = {"type": "object", "additionalProperties": False}
    tools = [{"name": name, "description": f"Do {name}.", "inputSchema": schema, **given} for name in "ab"]
    assert "missing-annotations" not in codes(tools)
    for directory, missing in expected.items():
        found = findings(tools, "--provider", directory)
        said = [f"{directory} requires {each}, in 2 tools: 'a', 'b'" for each in missing]
        assert [d["message"] for d in found] == said
        assert lint(tools, "--provider", directory).exit_code == (1 if missing else 0)


def test_claudes_directory_has_its_own_rule_of_names() -> None:
    tool = {"description": "One.", "title": "One", "annotations": ALL, "inputSchema": OPEN}
    for length, expected in ((64, []), (65, ["rejected by claude-directory"])):
        found = findings([{**tool, "name": "a" * length}], "--provider", "claude-directory")
        refused = [d["message"] for d in found if d["code"] == "provider-name"]
        assert [text for text in refused if "directory" in text] == expected


@for_each(CASES["alike"])
def test_names_that_mean_the_same_are_found(first: Any, second: Any, more: Any, is_found: Any) -> None:
    required = [["id"], ["email"] if more == "name" else ["id", "x"]]
    texts = ["Look up one person.", f"Read a person's record from the cache {more}."]
    tools = [
        {"name": name, "description": text, "inputSchema": {**OPEN, "required": fields}}
        for name, text, fields in zip((first, second), texts, required, strict=True)
    ]
    found = codes(tools)
    assert ("near-duplicate" in found) is is_found


@pytest.mark.parametrize("text", CASES["enums"])
def test_a_list_in_one_text_is_not_an_enum(text: str) -> None:
    found = codes([field({"type": "string", "description": text})])
    assert ("missing-enum" in found) is CASES["enums"][text]


@for_each(CASES["described"])
def test_a_required_field_is_described_by_itself_or_by_the_tool(
    text: Any, field: Any, is_described: Any
) -> None:
    schema = obj("a", a=field)
    found = codes([{"name": "tool", "description": text, "schema": schema}])
    assert ("undescribed-field" in found) is not is_described


def test_a_baseline_leaves_out_what_was_there() -> None:
    def tool(name: str, *fields: str) -> JsonObject:
        wrong = {"type": "integer", "default": "x", "description": "One number."}
        schema = {"type": "object", "properties": dict.fromkeys(fields, wrong)}
        return {"name": name, "description": f"Do {name}.", "schema": schema}

    known, two = ("--baseline", "known.json"), tool("two")
    old = [tool("one", "a"), two]
    assert "--write-baseline" in lint(old, *known).stderr
    assert lint(old, *known, "--write-baseline").exit_code == 0
    kept = {"": {"open-object": 1}, "one": {"invalid-default": 1}}
    assert read_json("known.json")["tools.json"] == kept
    assert codes([tool("new"), two, tool("one", "a")], *known) == []
    assert codes([tool("one", "a", "b"), two], *known) == ["invalid-default"] * 2
    assert codes([*old, tool("new", "a")], *known) == ["invalid-default"]
    for text in ("{", '{"tools.json": {"one": {"a": []}}}', "[" * 100_000):
        Path("known.json").write_text(text)
        wrong = lint(old, *known)
        assert (wrong.exit_code, "is not a lint baseline" in wrong.stderr) == (2, True)
    assert lint(old, "--write-baseline").exit_code == 2


@for_each(CASES["headers"])
def test_headers_keep_the_rules_of_mcp(field: Any, levels: Any) -> None:
    schema = obj(o={"type": "string", "x-mcp-header": "Other"}, a=field)
    found = findings([{"name": "t", "schema": schema}])
    assert [d["level"] for d in found if d["code"] == "mcp-header"] == levels


def test_findings_are_left_out_by_code_and_by_place() -> None:
    tool = {"name": "tool", "description": "One tool.", "schema": OPEN}
    assert codes([tool]) == ["open-object"]
    assert codes([tool], "--ignore", "open-object") == []
    Path("pyproject.toml").write_text('[tool.toolgen]\nignore = ["open-object"]\n')
    assert codes([tool]) == []
    Path("pyproject.toml").unlink()
    assert codes([tool | {"schema": OPEN | {"x-toolgen-ignore": "open-object"}}]) == []
    inner = obj(a={"type": "integer", "default": "x"})
    assert "invalid-default" in codes([tool | {"schema": inner}])
    inner["properties"]["a"]["x-toolgen-ignore"] = ["invalid-default"]  # type: ignore[index]
    assert codes([tool | {"schema": inner}]) == ["open-object"]
    wrong = lint([tool], "--ignore", "open-objekt")
    assert wrong.exit_code == 2
    assert "did you mean 'open-object'?" in wrong.stderr


PLAIN = {"name": "tool", "schema": OPEN}
ERROR = EXAMPLES["contradictory-bounds"]["bad"]
EXITS: list[tuple[list[JsonObject], str, int]] = [
    ([PLAIN | {"description": "One."}], "warning", 0),  # it has a note
    ([PLAIN | {"description": "One."}], "note", 1),
    ([PLAIN], "warning", 1),
    ([PLAIN], "error", 0),
    (ERROR, "error", 1),
    (ERROR, "never", 0),
    ([{"name": "tool", "schema": {"type": "strin"}}], "never", 2),
    (EXAMPLES["no-description"]["good"], "note", 0),
]


@for_each(EXITS)
def test_the_exit_code_says_how_bad_it_is(tools: Any, fail_on: str, code: int) -> None:
    assert lint(tools, "--fail-on", fail_on).exit_code == code
    assert fail_on != "warning" or lint(tools).exit_code == code


def test_text_and_sarif_name_the_line() -> None:
    Path("tools.json").write_text(
        '[{"name": "tool",\n  "description": "One.",\n  "schema": {\n   "type": 5}}]'
    )
    broken = toolgen("lint", "tools.json")
    assert broken.stderr.startswith("tools.json:4:12: error[invalid-keyword]")
    result = lint(EXAMPLES["invalid-default"]["bad"], "--sarif", "found.sarif")
    assert result.stdout.startswith("tools.json:1:129: warning[invalid-default] tool 'find_order': ")
    assert (result.stdout.splitlines()[-1], result.stderr) == ("1 finding: 1 warning", "")
    assert lint(EXAMPLES["invalid-default"]["bad"], "-q").stdout == result.stdout.splitlines(True)[0]
    run = read_json("found.sarif")["runs"][0]
    (found,) = run["results"]
    assert run["tool"]["driver"]["rules"][found["ruleIndex"]]["id"] == found["ruleId"] == "invalid-default"
    physical = found["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "tools.json"}
    assert physical["region"] == {"startLine": 1, "startColumn": 129}
    assert found["level"] == "warning"


@for_each(
    [
        ("a b,%c#d?é.json", "a%20b%2C%25c%23d%3F%C3%A9.json"),
        ("./x.json", "x.json"),
        ("c:d.json", "c%3Ad.json"),
    ]
)
def test_sarif_names_files_as_references(file: str, uri: str) -> None:
    write_json(file, EXAMPLES["invalid-default"]["bad"])
    for name, expected in ((file, uri), (str(Path(file).absolute()), Path(file).absolute().as_uri())):
        toolgen("lint", name, "--sarif", "found.sarif")
        (found,) = read_json("found.sarif")["runs"][0]["results"]
        assert found["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": expected}


def field(schema: JsonObject, name: str = "a", **rest: Any) -> JsonObject:
    """One tool with one field."""
    return {"name": "t", "description": "One.", "inputSchema": {"properties": {name: schema}, **rest}}


@for_each(CASES["values"])
def test_values_are_judged_by_the_compiled_check(schema: Any, expected: Any) -> None:
    tool = field(schema, type="object", additionalProperties=False)
    tool["inputSchema"]["$defs"] = {"text": TEXT}
    assert codes([tool]) == expected


@for_each(CASES["branches"])
def test_branches_are_the_same_if_they_take_the_same(branches: Any, is_same: Any) -> None:
    found = codes([field({"anyOf": branches}, type="object", additionalProperties=False)])
    assert ("unreachable-branch" in found) is is_same


@for_each([("open-object", "3 tools"), ("null-default", "4 places of 3 tools")])
def test_what_most_tools_have_is_reported_once_a_file(code: str, count: str) -> None:
    tools = [
        {
            **field({"type": "string", "default": None}, type="object"),
            "name": f"t{n}",
            "description": f"Tool {n}.",
        }
        for n in range(3)
    ]
    tools[0]["inputSchema"]["properties"]["b"] = {"type": "integer", "default": None}

    def message() -> str:
        (one,) = [finding["message"] for finding in findings(tools) if finding["code"] == code]
        return str(one)

    assert f", in {count}: 't0', 't1', 't2'" in message()
    tools[0]["inputSchema"]["x-toolgen-ignore"] = [code]
    assert ", in 2 tools: 't1', 't2'" in message()


def test_recursive_and_wide_schemas_are_linted() -> None:
    node: JsonObject = obj(next={"$ref": "#/$defs/node"})
    recursive = {"$defs": {"node": node}, "$ref": "#/$defs/node"}
    wide = {"type": "object", "properties": {f"p{i}": TEXT for i in range(2_000)}}
    doubling = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(40)}
    doubled = {"$defs": {**doubling, "d40": {"type": "object"}}, "$ref": "#/$defs/d0"}
    for schema in (recursive, wide, doubled, True, {}):
        assert lint([{"name": "t", "description": "One.", "schema": schema}]).exit_code in (0, 1)


@for_each(CASES["unions"])
def test_a_union_is_untagged_where_two_forms_cannot_be_told_apart(branches: Any, count: Any) -> None:
    schema = obj(u={"anyOf": branches})
    assert codes([{"name": "t", "inputSchema": schema}]).count("untagged-union") == count


@for_each(CASES["bounds"])
def test_bounds_contradict_each_other_only_for_values_that_are_taken(schema: Any, said: Any) -> None:
    tool = {"name": "a", "inputSchema": obj(x=schema)}
    messages = [d["message"] for d in findings([tool]) if d["code"] == "contradictory-bounds"]
    assert len(messages) == bool(said)
    assert all(said in message for message in messages)


@for_each([(1, False), (2, True)])
def test_so_many_forms_are_compared(most: int, found: bool, *, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "MAX_PAIRS", most)
    forms = [
        {"type": "object", "properties": {"a": a, "b": {}}, "required": [key]}
        for a, key in (({"const": "x"}, "a"), ({"const": "y"}, "a"), (TEXT, "b"))
    ]
    assert ("untagged-union" in codes([{"name": "t", "schema": {"type": "object", "anyOf": forms}}])) == found


NEVER_ALONE: dict[str, tuple[list[Any], list[int]]] = {
    **CASES["alone"],
    "too many to compare": (
        [{"type": "number"}] + [{"const": n} for n in range(int(shapes.MAX_COMPARED**0.5))],
        [],
    ),
}


@for_each(NEVER_ALONE)
def test_a_branch_that_can_never_be_the_only_one(branches: Any, expected: Any) -> None:

    def found(word: str) -> list[str]:
        schema = obj(x={"type": ["object", "number", "string"], word: branches})
        each = findings([{"name": "t", "description": "d", "inputSchema": schema}])
        return [d["pointer"].rsplit("/", 1)[-1] for d in each if d["code"] == "unreachable-branch"]

    assert found("oneOf") == [str(index) for index in expected]
    assert found("anyOf") == []


def test_a_few_of_many_names_are_shown() -> None:
    assert shown([*"abcde"]) == "'a', 'b', 'c', 'd', 'e'"
    assert shown([*"abcdef"]) == "'a', 'b', 'c', 'd', 'e' and 1 more"
