"""Every export shape gives the same tool specs; what is wrong is one diagnostic with a code and a pointer."""

from __future__ import annotations

import io
import json
import os
import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.spec_exports import HEAD, SCHEMA, SHAPES
from helpers.support import JsonObject, for_each, for_each_at_once, python, table, write_json

import toolgen as generator
from toolgen import SpecError
from toolgen.compiler.diagnostics import Place
from toolgen.compiler.specs.formats.json_values import MAX_SPEC_DEPTH, to_json
from toolgen.compiler.specs.load import Loaded, load, read_value
from toolgen.compiler.specs.shapes import providers
from toolgen.compiler.specs.shapes.unfold import SHAPES as SHAPES_READ, TOOL_KEYS
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_transcripts.tools.openapi import to_json_schema

NOWHERE = Place("")


def bare(spec: ToolSpec) -> ToolSpec:
    return replace(spec, place=NOWHERE, schema_place=NOWHERE)


def findings(loaded: Loaded) -> list[tuple[str, str, str]]:
    return [(d.level, d.code, d.place.pointer) for d in loaded.diagnostics]


def written(folder: Path, content: Any, name: str = "spec.json") -> str:
    file = folder / name
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return file.as_posix()


@for_each(product([".json", ".yaml", ".txt"], SHAPES))
def test_one_tool_in_every_shape_is_the_same_tool(suffix: str, shape: str, *, tmp_path: Path) -> None:
    export, pointer = SHAPES[shape]
    text = json.dumps(export) if suffix == ".json" else yaml.safe_dump(export, sort_keys=False)
    loaded = load([written(tmp_path, text, f"spec{suffix}")])
    assert findings(loaded) == []
    (spec,) = loaded.tools
    assert bare(spec) == ToolSpec("file_issue", "Files an issue.", SCHEMA, NOWHERE, NOWHERE)
    assert json.dumps(spec.schema) == json.dumps(SCHEMA), "the order of the keys is the author's as well"
    assert spec.schema_place.pointer == pointer
    assert pointer.startswith(spec.place.pointer)
    (in_memory,) = read_value(export).tools
    assert (in_memory.schema, in_memory.schema_place) == (SCHEMA, Place("", pointer))
    assert in_memory.schema is not SCHEMA


CASES = table("load.json")


@for_each(CASES["without a schema"])
def test_no_schema_means_no_properties(export: Any, codes: Any) -> None:
    loaded = read_value(export)
    assert [(d.level, d.code) for d in loaded.diagnostics] == [("warning", code) for code in codes]
    (spec,) = loaded.tools
    assert (spec.schema, spec.description) == ({"type": "object", "properties": {}}, "")


@for_each(CASES["hosted"])
def test_hosted_tools_are_skipped_by_name(export: Any, expected: Any) -> None:
    loaded = read_value([export, {"name": "sound", "schema": {}}])
    notes = [[d.place.pointer.removeprefix("/0"), d.tool] for d in loaded.diagnostics]
    assert notes == expected
    assert {(d.level, d.code) for d in loaded.diagnostics} == {("note", "hosted-tool")}
    assert "sound" in [spec.name for spec in loaded.tools]


SERVED = {"allowed_callers": ["code"], "async": True, "defer_loading": True, "eager_input_streaming": True}


@pytest.mark.parametrize("key", SERVED)
def test_how_a_tool_is_to_be_served_is_never_dropped_without_a_word(key: str) -> None:
    field = {key: SERVED[key]}
    for inner, export in [
        ("", {**HEAD, "input_schema": {}, **field}),
        ("", {"type": "function", "function": {**HEAD, "parameters": {}}, **field}),
        ("/function", {"type": "function", "function": {**HEAD, "parameters": {}, **field}}),
    ]:
        loaded = read_value(export)
        found = [(d.level, d.code, d.place.pointer, d.tool) for d in loaded.diagnostics]
        assert found == [("note", "unkept-field", f"{inner}/{key}", HEAD["name"])]
        assert len(loaded.tools) == 1
    for default in (None, False):
        assert read_value({**HEAD, "input_schema": {}, key: default}).diagnostics == []


def test_each_key_has_one_owner() -> None:
    owners = {key: [shape.name for shape in SHAPES_READ if shape.owns(key)] for key in TOOL_KEYS}
    assert {key: names for key, names in owners.items() if len(names) != 1} == {}


NEW_SHAPE = """    ExportShape(
        name="a LangChain tool", provider="LangChain", schema_keys=("args_schema",), lists=("toolkit",)
    ),
"""
USE_NEW_SHAPE = """
import json, sys
from toolgen.compiler.specs.load import read_value
for export in json.load(sys.stdin):
    loaded = read_value(export)
    print(json.dumps([[spec.name for spec in loaded.tools], [d.code for d in loaded.diagnostics]]))
"""


def test_a_new_shape_is_one_row(tmp_path: Path) -> None:
    """In a copy of the generator, a shape with its own schema key is added and read in every nesting."""
    shutil.copytree(Path(generator.__file__).parent, tmp_path / "toolgen")
    table = tmp_path / "toolgen" / Path(providers.__file__).relative_to(Path(generator.__file__).parent)
    table.write_text(
        table.read_text().replace(
            '    ExportShape(name="a plain', f'{NEW_SHAPE}    ExportShape(name="a plain'
        )
    )
    tool = {**HEAD, "args_schema": SCHEMA}
    exports: list[Any] = [tool, {"tools": [tool]}, {"toolkit": [tool]}, {"toolkit": [HEAD]}]
    exports += [{"result": {"tools": [{"type": "function", **tool}]}}, {**tool, "title": None}]
    ran = python(
        "-c",
        USE_NEW_SHAPE,
        input=json.dumps([*exports, {**tool, "schema": {}}]),
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    *read, ambiguous = map(json.loads, ran.stdout.splitlines())
    assert read == [[["file_issue"], []]] * len(exports)
    assert ambiguous == [[], ["ambiguous-tool"]]


DEEP: Any = {"type": "object"}
for _ in range(MAX_SPEC_DEPTH):
    DEEP = {"not": DEEP}

WRONG: JsonObject = {
    **CASES["wrong"],
    **{
        f"a tool and a list: {key}": (
            {"name": "a", key: {"json": {}}, "tools": []},
            ["ambiguous-tool"],
        )
        for key in TOOL_KEYS
    },
    "too deep": ({"name": "a", "schema": DEEP}, ["too-deep"]),
    "NaN": ({"name": "a", "schema": {"minimum": float("nan")}}, ["bad-number /schema/minimum"]),
    "half a surrogate": ({"name": "a", "schema": {"title": "\ud800"}}, ["lone-surrogate /schema/title"]),
}
"""What is read, and its errors (other levels are named) with their places."""


@for_each(WRONG)
def test_what_is_wrong_is_one_diagnostic_at_its_place(export: Any, expected: Any, *, tmp_path: Path) -> None:
    for loaded in (read_value(export), load([written(tmp_path, json.dumps(export))])):
        found = [(level.replace("error", ""), code, pointer) for level, code, pointer in findings(loaded)]
        assert [" ".join(filter(None, words)) for words in found] == expected


TEXTS: JsonObject = {
    **CASES["texts"],
    "many digits": (
        "a.json",
        '{"name": "a", "schema": {"minimum": 1%s}}' % ("0" * 5000),
        "bad-json",
        "digits",
    ),
    "deep json": ("a.json", "[" * 100_000, "too-deep", "nested"),
    "deep yaml": ("a.yaml", "x: " + "[" * 100_000, "too-deep", "nested"),
    "not utf-8": ("a.json", b'{"name": "\xe9"}', "bad-encoding", "byte 10"),
    "not utf-8 after a mark": ("a.json", b'\xef\xbb\xbf{"name": "\xe9"}', "bad-encoding", "byte 13"),
    "utf-16 without a mark": ("a.json", '{"name"'.encode("utf-16-le"), "bad-encoding", "UTF-16"),
}


@for_each(TEXTS)
def test_text_that_cannot_be_read_says_where_and_why(
    name: Any, text: Any, expected: Any, said: Any, *, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolgen.compiler.specs.formats.json_values.MAX_SPEC_VALUES", 2_000)
    code, _, pointer = expected.partition(" ")
    loaded = load([written(tmp_path, text, name)])
    (found,) = loaded.diagnostics
    assert (found.level, found.code, found.place.pointer) == ("error", code, pointer)
    assert said in str(found)
    assert found.hint
    assert loaded.tools == []


def test_a_fault_takes_down_its_own_tool_alone(tmp_path: Path) -> None:
    text = (
        '{"tools": [{"name": "a", "schema": {"x": 1, "x": 2}}, {"name": "b", "schema": {}}, {"name": "c"}]}'
    )
    loaded = load([written(tmp_path, text)])
    assert [spec.name for spec in loaded.tools] == ["b", "c"]
    assert [(d.code, d.tool) for d in loaded.diagnostics] == [("missing-schema", "c"), ("duplicate-key", "a")]


def test_folders_are_read_whole_in_order(tmp_path: Path) -> None:
    files = ("b.json", "a/z.yaml", "a/a.YML", ".hidden.json", ".git/c.json", "out/agent.json", "a/notes.txt")
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        written(tmp_path, {"name": name, "schema": {}}, name)
    written(tmp_path, {}, "out/toolgen-manifest.json")
    loaded = load([str(tmp_path), str(tmp_path / "b.json")])
    assert [spec.name for spec in loaded.tools] == ["a/a.YML", "a/z.yaml", "b.json"]
    assert loaded.diagnostics == []
    written(tmp_path, {"name": "site", "version": "1"}, "package.json")
    again = load([str(tmp_path)])
    assert [(d.code, Path(d.place.file).name) for d in again.diagnostics] == [("not-a-spec", "package.json")]
    assert len(again.tools) == 3


def test_files_and_standard_input_are_namespaces(tmp_path: Path) -> None:
    text = '{"name": "a", "schema": {}}'
    files = [written(tmp_path, text, name) for name in ("one.json", "two.yaml")]
    loaded = load([*files, "-"], stdin=io.BytesIO(text.encode()), namespace=True)
    places = {group: [spec.place.file for spec in specs] for group, specs in loaded.groups.items()}
    assert places == {"one": files[:1], "two": files[1:], "stdin": ["-"]}
    (clash,) = load(files).diagnostics
    assert clash.code == "duplicate-tool"
    assert f"{files[0]}#" in clash.message


def test_two_files_of_one_stem_are_no_two_namespaces(tmp_path: Path) -> None:
    one = written(tmp_path, {"name": "a", "schema": {}}, "one.json")
    other = written(tmp_path, {"name": "b", "schema": {}}, "one.yaml")
    (found,) = load([one, other], namespace=True).diagnostics
    assert (found.code, found.place.file) == ("duplicate-stem", other)
    assert one in found.message


@for_each_at_once(CASES["gemini's dialect"])
def test_geminis_dialect_means(given_schema: Any, expected: Any) -> None:
    assert to_json_schema(given_schema) == expected
    assert to_json_schema(expected) == expected


def test_how_deep_and_how_large_a_value_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(value: Any) -> list[str]:
        try:
            to_json(value, NOWHERE, pytest.fail)
        except SpecError as error:
            return [d.code for d in error.diagnostics]
        return []

    deepest: Any = []
    for _ in range(MAX_SPEC_DEPTH - 1):
        deepest = {"a": deepest}
    assert (refused(deepest), refused([deepest])) == ([], ["too-deep"])
    monkeypatch.setattr("toolgen.compiler.specs.formats.json_values.MAX_SPEC_VALUES", 10)
    assert (refused([0] * 9), refused([0] * 10)) == ([], ["too-large"])


def test_tools_of_namespaces_are_told_apart(tmp_path: Path) -> None:
    """OpenAI: a namespace groups tools, and each has names of its own."""
    get = {"type": "function", "name": "get", "parameters": {"type": "object"}}
    spaces = [
        {"type": "namespace", "name": name, "description": "", "tools": [get]} for name in ("crm", "hr")
    ]
    file = tmp_path / "specs.json"
    write_json(file, [*spaces, get])
    loaded = load([str(file)])
    assert loaded.diagnostics == []
    assert [spec.name for spec in loaded.tools] == ["crm.get", "hr.get", "get"]
