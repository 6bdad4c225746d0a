"""Where checks are divided: no function is too long or too deep, and each is found by its line."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator

from helpers.support import GOLDEN, files_of, needs_servers, servers, tool_of


def functions(text: str) -> Iterator[tuple[str, int, int]]:
    """(name, lines, depth) of the functions of a module."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
            own = lines[node.lineno - 1 : node.end_lineno]
            depth = max((len(line) - len(line.lstrip())) // 4 for line in own) - 1
            yield node.name, len(own), depth


MOST_LINES, MOST_DEPTH = 250, 8


def assert_readable(texts: Iterable[str]) -> None:
    found = [each for text in texts for each in functions(text)]
    assert [each for each in found if each[1] > MOST_LINES or each[2] > MOST_DEPTH] == []


def test_no_function_is_too_long_or_too_deep() -> None:
    assert_readable(path.read_text("utf-8") for path in GOLDEN.rglob("*_tools/**/*.py"))
    item = {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"p": {"minimum": 1}}}]}
    for _ in range(6):
        item = {"type": "object", "properties": {"in": item, "list": {"type": "array", "items": item}}}
    wide = {"properties": {f"p{i}": {"enum": ["ab"], "type": "string", "minLength": 2} for i in range(300)}}
    for schema in (item, wide):
        assert_readable(files_of([{"name": "t", "schema": schema}]).values())


@needs_servers
def test_no_function_of_a_real_server_is_too_long_or_too_deep() -> None:
    for tools in [*servers().values()][::3]:
        assert_readable(files_of(tools).values())


def test_a_large_module_is_compiled_in_pieces_that_stand_where_they_stood() -> None:
    """Tracebacks and debuggers find each function by the number of its first line."""
    names = [f"p{i}" for i in range(1_000)]
    schema = {"type": "object", "properties": {n: {"type": "string"} for n in names}, "required": names}
    tool = tool_of(schema)
    module = inspect.getmodule(tool.validate)
    functions = [
        f for f in vars(module).values() if inspect.isfunction(f) and f.__module__ == module.__name__
    ]
    lines = inspect.getsource(module).splitlines()
    assert len(functions) > 100
    for each in functions:
        assert lines[each.__code__.co_firstlineno - 1].startswith(f"def {each.__name__}(")
        assert all(isinstance(note, str) for note in each.__annotations__.values())
    assert len(tool.validate({})) == len(names)
