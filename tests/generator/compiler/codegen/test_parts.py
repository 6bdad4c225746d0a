"""Where checks are divided: no function is too long or too deep, and each is found by its line."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.support import files_of, needs_servers, servers, tool_of

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
    "wide and deep": thing(40, 2, 3),
    "tagged branches": {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"oneOf": [branch("x", v=thing(8, 1, 1)), branch("y", w=thing(9, 1, 2))]}}
        },
    },
    "a verdict": {"type": "object", "properties": {"a": {"not": thing(30, 2, 2)}, "b": WORD}},
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
