"""Where checks are divided: no function is too long or too deep, and the issues are those of the undivided check."""

from __future__ import annotations

import ast
import inspect
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.payloads import example
from helpers.support import files_of, needs_servers, servers, tool_of

from toolgen.compiler.codegen import function, module
from toolgen.compiler.keywords import members
from toolgen_runtime import Tool

ATLEAST = {"type": "integer", "minimum": 1}
WORD = {"enum": ["ab", "cd"], "type": "string", "minLength": 2, "maxLength": 5}


def thing(width: int, depth: int, required: int = 0, closed: bool = True) -> dict[str, Any]:
    """An object of scalars, of objects in objects, and of arrays of objects."""
    members: dict[str, Any] = {f"p{i}": WORD if i % 3 else ATLEAST for i in range(width)}
    if depth:
        inner = thing(width // 2, depth - 1, required // 2, closed)
        members["in"] = {"type": "object", "properties": {"deep": inner}, "additionalProperties": not closed}
        members["list"] = {"type": "array", "items": inner, "minItems": 1}
    names = [f"p{i}" for i in range(required)]
    return {"type": "object", "properties": members, "required": names, "additionalProperties": not closed}


def branch(kind: str, **members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"kind": {"const": kind}, **members},
        "required": ["kind", *members],
        "additionalProperties": False,
    }


SCHEMAS: dict[str, dict[str, Any]] = {
    "wide": thing(60, 0),
    "wide, all required": thing(60, 0, 60),
    "wide and open": thing(60, 0, 3, closed=False),
    "deep": thing(4, 5, 1),
    "wide and deep": thing(40, 2, 3),
    "optional at every level": thing(12, 3),
    "tagged branches": {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"oneOf": [branch("x", v=thing(8, 1, 1)), branch("y", w=thing(9, 1, 2))]}}
        },
    },
    "a verdict": {"type": "object", "properties": {"a": {"not": thing(30, 2, 2)}, "b": WORD}},
    "one value, several schemas": {
        "type": "object",
        "properties": {"a": {"allOf": [thing(14, 1, 1, closed=False), thing(15, 1, 2, closed=False)]}},
    },
    "null or": {"type": "object", "properties": {"a": {"anyOf": [{"type": "null"}, thing(20, 1)]}}, "required": ["a"]},
}  # fmt: skip


def functions(text: str) -> Iterator[tuple[str, int, int]]:
    """(name, lines, depth) of the functions of a module."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
            own = lines[node.lineno - 1 : node.end_lineno]
            depth = max((len(line) - len(line.lstrip())) // 4 for line in own) - 1
            yield node.name, len(own), depth


MOST_LINES, MOST_DEPTH = 250, 8


def assert_readable(tools: list[dict[str, Any]]) -> None:
    wrong = [
        (path, *found)
        for path, text in files_of(tools).items()
        if path.endswith(".py")
        for found in functions(text)
        if found[1] > MOST_LINES or found[2] > MOST_DEPTH
    ]
    assert wrong == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_function_is_too_long_or_too_deep(name: str) -> None:
    assert_readable([{"name": "t", "schema": SCHEMAS[name]}])


@needs_servers
def test_no_function_of_a_real_server_is_too_long_or_too_deep() -> None:
    for tools in [*servers().values()][::3]:
        assert_readable(tools)


def issues(tool: Tool[Any], payload: Any) -> list[tuple[Any, ...]]:
    return [(i.path, i.constraint, i.expected, repr(i.got)) for i in tool.validate(payload)]


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_divided_check_lists_the_same_issues(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = SCHEMAS[name]
    divided = tool_of(schema)
    monkeypatch.setattr(module, "MAX_SIZE", 10**6)
    monkeypatch.setattr(function, "MAX_DEPTH", 10**6)
    monkeypatch.setattr(members, "_MOST_TOGETHER", 10**6)
    whole = tool_of({**schema, "$comment": "whole"})  # a schema that was compiled is not compiled again
    assert len(divided.validate.__globals__) > len(whole.validate.__globals__)
    rng = random.Random(name)
    payloads = [example(schema, schema, full) for full in (False, True)]
    payloads += [broken(json.loads(json.dumps(p)), rng) for p in payloads for _ in range(60)]
    found = [issues(divided, payload) for payload in payloads]
    assert found == [issues(whole, payload) for payload in payloads]
    assert len({json.dumps(f, default=repr) for f in found}) > 5


def broken(value: Any, rng: random.Random) -> Any:
    """A payload with a few things changed anywhere in it."""
    for _ in range(rng.randint(1, 4)):
        value = _changed(value, rng)
    return value


def _changed(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        if rng.random() < 0.2:
            return {k: v for k, v in value.items() if k != key} | ({"odd": 1} if rng.random() < 0.5 else {})
        return {**value, key: _changed(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        index = rng.randrange(len(value))
        return [*value[:index], _changed(value[index], rng), *value[index + 1 :]]
    return rng.choice([None, 0, 7, "ab", "zz", "", [], {}, True, 1.5, {"odd": 1}, [1]])


def test_a_large_module_is_compiled_in_pieces_that_stand_where_they_stood() -> None:
    """Tracebacks and debuggers find each function by the number of its first line."""
    names = [f"p{i}" for i in range(1_000)]
    schema = {"type": "object", "properties": {n: {"type": "string"} for n in names}, "required": names}
    tool = tool_of(schema)
    module = inspect.getmodule(tool.validate)
    assert module is not None
    functions = [
        f for f in vars(module).values() if inspect.isfunction(f) and f.__module__ == module.__name__
    ]
    lines = inspect.getsource(module).splitlines()
    assert len(functions) > 100
    for each in functions:
        assert lines[each.__code__.co_firstlineno - 1].startswith(f"def {each.__name__}(")
        assert all(isinstance(note, str) for note in each.__annotations__.values())
    assert len(tool.validate({})) == len(names)
