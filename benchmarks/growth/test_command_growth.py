"""What commands do with a tool takes work in proportion to it, counted in calls of functions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from counting import calls
from helpers.nests import TEXT, WRAPS, closed, nested
from helpers.support import bounded, lowered

from toolgen.cli.position import position_of
from toolgen.commands.audit.records.recognize import calls_of
from toolgen.commands.diff.changes import changes
from toolgen.commands.docs.page import entries, render
from toolgen.commands.explain.explanation import explain
from toolgen.commands.export.export import PROVIDERS, export
from toolgen.commands.lint.duplicates import near_duplicates
from toolgen.commands.lint.run import lint
from toolgen.commands.lint.subject import Subject
from toolgen.compiler.diagnostics import Place
from toolgen.compiler.schema.lower import LowerOptions
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen.compiler.value_description import root_fields
from toolgen.package.compile import compile_specs
from toolgen_runtime import Toolset

Schema = dict[str, Any]
OPTIONS = LowerOptions(slow_patterns="allow")
SPARE = 20_000
"""Calls beyond proportion that twice the size may take, where it is 40."""


def linked(size: int, link: Callable[[Schema], Schema]) -> Schema:
    """Definitions that each use the next one."""
    definitions: Schema = {f"d{i}": link({"$ref": f"#/$defs/d{i + 1}"}) for i in range(size)}
    return {
        "properties": {"a": {"$ref": "#/$defs/d0"}},
        "required": ["a"],
        "$defs": {**definitions, f"d{size}": {"type": "string"}},
    }


SHAPES: dict[str, Callable[[int], Schema]] = {
    "wide": lambda n: {"properties": {f"p{i}": {"type": "string"} for i in range(n)}},
    "required": lambda n: closed([f"p{i}" for i in range(n)]),
    "required, not named": lambda n: {"required": [f"p{i}" for i in range(n)]},
    "allOf": lambda n: {"allOf": [{"properties": {f"p{i}": {"type": "string"}}} for i in range(n)]},
    "allOf of one property": lambda n: {"allOf": [{"properties": {"a": {"minLength": i}}} for i in range(n)]},
    "anyOf, closed": lambda n: {"anyOf": [closed([f"p{i}"]) for i in range(n)]},
    "oneOf, closed, a shared key": lambda n: {"oneOf": [closed([f"p{i}", "id"]) for i in range(n)]},
    "oneOf, tagged": lambda n: {
        "oneOf": [
            {"properties": {"k": {"const": f"k{i}"}, "v": {"type": "string"}}, "required": ["k"]}
            for i in range(n)
        ]
    },
    "anyOf of a property": lambda n: {
        "properties": {"x": {"anyOf": [{"type": "string", "maxLength": i} for i in range(n)]}},
        "required": ["x"],
    },
    "enum": lambda n: {"properties": {"e": {"enum": [f"v{i}" for i in range(10 * n)]}}, "required": ["e"]},
    "enum of objects": lambda n: {"properties": {"e": {"enum": [{"a": i} for i in range(n)]}}},
    "long texts": lambda n: {
        "description": "word " * 100 * n,
        "properties": {"e": {"const": "x" * 100 * n, "default": "x" * 100 * n}},
    },
    "patterns of keys": lambda n: {"patternProperties": {f"^x{i}_": {"type": "string"} for i in range(n)}},
    "a long pattern": lambda n: {
        "properties": {"e": {"type": "string", "pattern": f"^({'|'.join(['ab'] * 10 * n)})$"}}
    },
    "chain": lambda n: linked(2 * n, lambda after: after),
    "chain of objects": lambda n: linked(
        n, lambda after: {"type": "object", "properties": {"a": after}, "required": ["a"]}
    ),
    "objects twice": lambda n: linked(
        n, lambda after: {"type": "object", "properties": {"a": after, "b": after}, "required": ["a", "b"]}
    ),
    "anyOf twice": lambda n: linked(n, lambda after: {"anyOf": [after, {**after, "minLength": 1}]}),
    "allOf twice": lambda n: linked(n, lambda after: {"allOf": [after, {**after, "minLength": 1}]}),
    "each other": lambda n: {
        "properties": {"a": {"$ref": "#/$defs/d0"}},
        "$defs": {
            f"d{i}": {
                "type": "object",
                "properties": {
                    "x": {"$ref": f"#/$defs/d{(i + 1) % n}"},
                    "y": {"$ref": f"#/$defs/d{(7 * i + 3) % n}"},
                },
            }
            for i in range(n)
        },
    },
    "deep": lambda n: nested(n // 2, WRAPS["properties"], TEXT),
    "rows": lambda n: {"properties": {"a": {"prefixItems": [{"minLength": i} for i in range(n)]}}},
    "conditions": lambda n: {
        "allOf": [
            {"if": {"properties": {"k": {"const": i}}}, "then": {"required": [f"p{i}"]}} for i in range(n)
        ]
    },
    "dependencies": lambda n: {"dependentRequired": {f"p{i}": [f"p{i + 1}"] for i in range(n)}},
}
"""Schemas of a size, each of one kind."""


def spec_of(schema: Schema, name: str = "t") -> ToolSpec:
    return ToolSpec(name, "", {"type": "object", **schema}, Place(""), Place(""))


def grown(schema: Schema) -> Schema:
    """The schema with one more property: no branch of its unions has changed."""
    return {**schema, "properties": {**schema.get("properties", {}), "more": {"type": "integer"}}}


def payloads(size: int = 12) -> list[Any]:
    return [
        {},
        {f"p{i}": 1 for i in range(size)},
        {f"q{i}": 1 for i in range(size)},
        {"a": [1] * size, "e": "v", "x": 5, "k": "kk"},
    ]


def toolset_of(schema: Schema) -> Toolset:
    return compile_specs([spec_of(schema)], OPTIONS)


def explained(schema: Schema, size: int) -> Callable[[], object]:
    toolset, texts = toolset_of(schema), [json.dumps(payload).encode() for payload in payloads()]
    return lambda: [explain(toolset, "t", text) for text in texts]


def listed(schema: Schema) -> object:
    return root_fields(lowered(spec_of(schema).schema, OPTIONS))


def shown(schema: Schema, size: int) -> Callable[[], object]:
    toolset = toolset_of(schema)
    return lambda: render("t", entries({"": toolset}))


WORK: dict[str, Callable[[Schema, int], Callable[[], object]]] = {
    "docs": shown,
    "explain": explained,
    "list": lambda schema, size: lambda: listed(schema),
    "lint": lambda schema, size: lambda: lint([spec_of(schema)], OPTIONS, providers=("openai", "gemini")),
    "export": lambda schema, size: lambda: [export([spec_of(schema)], shape) for shape in PROVIDERS],
    "diff": lambda schema, size: lambda: [*changes([spec_of(schema)], [spec_of(grown(schema))], OPTIONS)],
}


MAKING = {
    "lint": tuple(shape for shape in SHAPES if shape != "anyOf twice"),
    "diff": (
        "wide",
        "required",
        "allOf",
        "allOf of one property",
        "anyOf, closed",
        "enum",
        "patterns of keys",
        "chain",
    ),
    "docs": ("wide", "allOf", "enum", "long texts"),
}
"""Commands that make payloads of a schema, up to a bound that the other shapes reach at once."""
SIZES = {
    ("lint", "chain"): 40,
    ("lint", "allOf twice"): 40,
    ("lint", "oneOf, tagged"): 20,
    ("lint", "oneOf, closed, a shared key"): 20,
}
"""Where work grows faster up to a bound, which smaller ones do not reach."""
BOUNDED = {("explain", "anyOf twice"), ("diff", "patterns of keys")}
"""Where 40 takes long: each of many is compared with each, up to a bound."""
CASES = [(c, s) for c in WORK for s in MAKING.get(c, SHAPES)]


@pytest.mark.parametrize("size", [10, pytest.param(40, marks=pytest.mark.long)])
@pytest.mark.parametrize(("command", "shape"), CASES)
def test_work_grows_with_the_schema(command: str, shape: str, size: int) -> None:
    def work(size: int) -> int:
        return calls(WORK[command](SHAPES[shape](size), size))

    work(4)  # loads what is loaded at the first use
    size = min(size, 20) if (command, shape) in BOUNDED else max(size, SIZES.get((command, shape), 0))
    few, many = work(size), work(2 * size)
    assert many < 2.4 * few + SPARE * (size / 40) ** 2, (few, many)


def test_objects_that_require_the_next_often_have_a_bound() -> None:
    """A payload of twelve levels with four keys each has 4**12 values: 17 million."""
    fields = {f"x{i}": {} for i in range(4)}
    schema = linked(
        12, lambda after: closed([]) | {"properties": dict.fromkeys(fields, after), "required": [*fields]}
    )
    with bounded(20):
        assert "<h4>Example" not in render("t", entries({"": toolset_of(schema)}))
        (change,) = changes([spec_of(schema)], [spec_of(grown(schema))], OPTIONS)
    assert change.kind == "unknown"


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
def test_a_changed_branch_of_very_many_is_found(union: str) -> None:
    """And all others are proved to be as they were, without comparing each with each."""
    branches = [closed([f"p{i}", "id"]) for i in range(40)]
    old, fewer = spec_of({union: branches}), spec_of({union: branches[20:]})
    changed = spec_of({union: [*branches[20:-1], closed(["p39", "id", "late"])]})
    with bounded(12):
        (same,) = changes([old], [spec_of({union: branches, "minProperties": 1})], OPTIONS)
        kinds = {change.kind for change in changes([fewer], [changed], OPTIONS)}
    assert same.kind == "safe"
    assert "breaking" in kinds


def test_chains_of_references_are_followed_without_recursion() -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/d0"}}} | SHAPES["chain"](510)
    assert lint([spec_of(schema)], OPTIONS).problems == ()
    assert {change.kind for change in changes([spec_of(schema)], [spec_of(grown(schema))], OPTIONS)} == {
        "breaking"
    }


def test_descriptions_of_the_same_words_are_compared_to_a_bound() -> None:
    """Each of 2,000 with each, word by word, takes hours."""
    words = [f"word{i}" for i in range(400)]
    root = lowered(spec_of({}).schema)
    specs = [
        ToolSpec(f"t{i}", " ".join(words[i % 400 :] + words[: i % 400]), {}, Place(""), Place("", f"/{i}"))
        for i in range(800)
    ]
    with bounded(10):
        found = list(near_duplicates([Subject(spec, root) for spec in specs]))
    assert len(found) >= 400  # those that are equal


@pytest.mark.parametrize("name", ["a.json", "a.yaml"])
def test_positions_of_many_problems_are_found_in_one_reading(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def work(size: int) -> int:
        lines = [f'"p{i}": 1' for i in range(size)]
        text = "{\n" + ",\n".join(lines) + "\n}" if name == "a.json" else "\n".join(lines)
        Path(name).write_text(text)
        first = 2 if name == "a.json" else 1
        found: list[Any] = []
        count = calls(lambda: found.extend(position_of(Place(name, f"/p{i}")) for i in range(size)))
        assert found == [(first + i, 7 + (i > 9) + (i > 99)) for i in range(size)]
        return count

    work(4)
    assert work(400) < 2.4 * work(200) + SPARE


def test_a_record_of_calls_takes_work_in_proportion() -> None:
    def work(size: int) -> int:
        record = json.dumps([{"tool": "t", "arguments": {"a": i}} for i in range(size)])
        return calls(lambda: calls_of(record))

    work(4)
    assert work(800) < 2.4 * work(400) + SPARE
