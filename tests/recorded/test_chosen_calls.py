"""Calls that were written to reach single conditions.

A row has a schema, and what is `sent` one after the other: arguments, or `errors` of other validators about the first
of them, `edits` of it, options of `build_hint` for it (`built`), `results` of the handler, exceptions that it has
`raised`, `answers` of a user, and further things to `do` with the conversation or its registry. It may also have
`bytes` in place of a text, and `names` that are called beside the tools `others`. Or it has `tools` as frameworks list
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from helpers.support import for_each
from recorded_inputs import Outputs, outcome, tool_of
from recorded_rows import by_file, raised
from test_recorded_runtime import CITY, OTHER, handler, said_of, told

from toolgen import compile_tools
from toolgen_runtime import MISSING, Edit, Registry, Tool, Toolset, apply_edits, build_hint


def objects_in(value: Any) -> Any:
    """Return a value with objects for `{"attributes": {...}}`, and functions for `{"returns": ...}`."""
    if isinstance(value, list):
        return [objects_in(each) for each in value]
    if not isinstance(value, dict):
        return value
    if [*value] == ["returns"]:
        return lambda **_: objects_in(value["returns"])
    found = {key: objects_in(each) for key, each in value.items()}
    return SimpleNamespace(**found["attributes"]) if [*value] == ["attributes"] else found


def said_of_tools(row: dict[str, Any]) -> Iterator[Any]:
    made = outcome(compile_tools, objects_in(row["tools"]), **row.get("compile", {}))
    for tool in made.values() if isinstance(made, Toolset) else ():
        yield tool.name, tool.description, tool.schema, tool.title, tool.annotations, tool.output_schema
    yield [*map(str, made.diagnostics)] if isinstance(made, Toolset) else made


def said_of_call(row: dict[str, Any]) -> Iterator[Any]:
    if "tools" in row:
        yield from said_of_tools(row)
        return
    spec = {"name": "look_up", "description": "Look.", "schema": row["schema"], **row.get("tool", {})}
    made = outcome(compile_tools, [spec], **row.get("compile", {}))
    if not isinstance(made, Toolset):
        yield made
        return
    (tool,) = made.values()
    registry = Registry(**row.get("options", {}))
    registry.register({tool.name: tool, OTHER.name: OTHER})
    registry.register({name: tool_of(CITY, name=name) for name in row.get("others", [])})
    talking = registry.conversation(rules=row.get("rules", []))
    for each in row["sent"]:
        sent = each.encode(row["encoding"]) if "encoding" in row else each
        yield list(said_of(tool, sent)), told(talking.check(row.get("called", tool.name), sent))
    first = row["sent"][0] if row["sent"] else MISSING
    yield from said_of_hints(row, tool, registry, first)
    for name in row.get("names", []):
        yield told(talking.check(name, first))
    for result in [*map(raised, row.get("raised", [])), *row.get("results", [])]:
        yield told(outcome(talking.call, tool.name, first, handler(result)))
    for answer in row.get("answers", []):
        question = talking.question(talking.check(tool.name, first), is_repeated=True)
        yield question and (question.message, question.schema, told(talking.answered(question, *answer)))
    for name, args, more in row.get("do", []):
        yield told(outcome(getattr(talking, name, None) or getattr(registry, name), *args, **more))


def said_of_hints(row: dict[str, Any], tool: Tool[Any], registry: Registry, sent: Any) -> Iterator[Any]:
    for each in row.get("bytes", []):
        yield list(said_of(tool, bytes.fromhex(each)))
    for error in map(raised, row.get("errors", [])):
        hint = registry.hint(tool.name, error, payload=sent, ran=row.get("ran", False))
        yield hint.to_dict(), hint.render()
    for changes in row.get("edits", []):
        edits = [Edit(op, tuple(at), to if to is None else tuple(to), *new) for op, at, to, *new in changes]
        yield [edit.to_dict() for edit in edits], outcome(apply_edits, sent, edits)
    for more in row.get("built", []):
        yield build_hint(tool, tool.validate(sent), payload=sent, **more).to_dict()


@for_each(by_file("calls", said_of_call))
def test_outputs(outputs: Outputs, *, locked: Callable[..., None]) -> None:
    locked(outputs)
