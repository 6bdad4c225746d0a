"""What is fuzzed: functions of bytes that raise when something does not hold. `scripts/fuzz.py` drives them.

Texts that were found to break one lie beside the seeds, as `found-*`; the default tests replay both.
"""

from __future__ import annotations

import ast
import contextlib
import json
import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from helpers.providers import MODULES
from helpers.support import JsonObject, built_of, specs_of
from toolgen import SpecError, compile_tools
from toolgen.compiler.diagnostics import Place
from toolgen.compiler.schema.lower import lower
from toolgen.compiler.specs.formats.text import parse
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_runtime import Registry, Tool, Toolset, repair as repair_arguments
from toolgen_transcripts import check, repair

Harness = Callable[[bytes], None]
LARGEST = 4_000
"""Bytes of an input; time is bounded by size, and other tests grow it."""
_MEMBERS: JsonObject = {
    "title": {"type": "string", "minLength": 1, "maxLength": 20, "pattern": "^[a-z ]+$"},
    "dueDate": {"type": "string", "format": "date", "description": "The day."},
    "count": {"type": "integer", "minimum": 1, "multipleOf": 2},
    "state": {"enum": ["open", "closed", 5, None]},
    "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "maxItems": 3},
    "owner": {
        "anyOf": [{"type": "string"}, {"type": "object", "required": ["id"], "properties": {"id": {}}}]
    },
    "pin": {"type": "string", "format": "password"},
}
_SCHEMAS: JsonObject = {
    "closed": {"type": "object", "properties": _MEMBERS, "required": ["title"], "additionalProperties": False},
    "tree": {"type": "object", "properties": {"up": {"$ref": "#"}, "v": _MEMBERS["count"]}, "minProperties": 1},
    "tagged": {
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": k}, "v": v}, "required": ["kind", "v"]}
            for k, v in _MEMBERS.items()
        ]
    },
    "any": {"unevaluatedProperties": {"type": ["array", "number"]}, "patternProperties": {"^x": {"not": {}}}},
}  # fmt: skip


@cache
def tools() -> Toolset:
    """The tools whose payloads are fuzzed."""
    return compile_tools([{"name": name, "schema": schema} for name, schema in _SCHEMAS.items()])


@cache
def registry() -> Registry:
    return Registry().with_tools(tools())


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _values(data: bytes, parse_float: Callable[[str], float] = float) -> Iterator[Any]:
    """The JSON value that the bytes are, if they are one."""
    with contextlib.suppress(ValueError, RecursionError):
        yield json.loads(data, parse_float=parse_float)


def _finite(text: str) -> float:
    """A number that a float can hold: of `1e400`, `json.loads` makes infinity, which is not what the text says."""
    number = float(text)
    if math.isinf(number):
        raise ValueError(text)
    return number


def load(data: bytes) -> None:
    """A spec file is read, or refused in a `SpecError`."""
    with contextlib.suppress(SpecError):
        value = parse(data, Place("fuzzed"))
        for spec in specs_of(value):
            json.dumps(spec.schema)


def lowering(data: bytes) -> None:
    """A schema is lowered, or refused with diagnostics."""
    for schema in _values(data):
        if isinstance(schema, dict | bool):
            lowered = lower(ToolSpec("t", "", schema, Place(""), Place("")))
            assert lowered.root is not None or any(d.level == "error" for d in lowered.diagnostics)


def render(data: bytes) -> None:
    """What is built is ASCII and compiles."""
    for schema in _values(data):
        tool = {"name": "t", "inputSchema": schema, "description": _text(data[:50])}
        for path, text in built_of([tool], keep_going=True).files.items():
            assert text.isascii(), path
            if path.endswith(".py"):
                ast.parse(text)


def validate_json(data: bytes) -> None:
    """A text has the issues of its value; a text that is none has issues."""
    for tool in tools().values():
        for text in (data, _text(data)):
            issues = tool.validate_json(text)
            for value in _values(data, _finite) if not issues else ():
                assert tool.validate(value) == [], tool
            for issue in issues:
                json.dumps(issue.to_dict())


def _assert_hint(tool: Tool[Any], problem: Any, payload: Any) -> None:
    hint = registry().hint(tool.name, problem, payload=payload)
    said = hint.render(600)
    assert len(said) <= 600
    assert all(c.isprintable() or c == "\n" for c in said), ascii(said)
    json.dumps(hint.to_dict())


def hint(data: bytes) -> None:
    """Hints of texts and payloads are short and can be printed."""
    for tool in tools().values():
        _assert_hint(tool, tool.validate_json(data), _text(data))
        for value in _values(data):
            _assert_hint(tool, tool.validate(value), value)


def foreign_text(data: bytes) -> None:
    """So are those of other validators' texts."""
    for tool in tools().values():
        _assert_hint(tool, _text(data), {"title": "x", "count": 1})


def repair_payload(data: bytes) -> None:
    """What is repaired is valid."""
    for tool in tools().values():
        for given in (_text(data), *_values(data)):
            repaired = repair_arguments(tool, given)
            assert not repaired.changes or tool.validate(repaired.payload) == [], (tool, repaired)


def stream(data: bytes) -> None:
    """A stream of events gives a message, or a `TypeError` for what is no event."""
    for events in _values(data):
        for module in MODULES.values():
            made = module.StreamAssembler()
            with contextlib.suppress(TypeError):
                for event in events if isinstance(events, list) else [events]:
                    if isinstance(event, dict):
                        made.feed(event)
                completed = made.finish()
                for one in completed.calls:
                    assert one.ready in (True, False)


def history(data: bytes) -> None:
    """A history of mappings is checked and repaired; repairing what was repaired changes nothing."""
    for messages in _values(data):
        if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
            continue
        for provider in MODULES:
            check(messages, provider)
            once = repair(messages, provider)
            again = repair(once.messages, provider)
            assert again.messages == once.messages, provider


HARNESSES: dict[str, Harness] = {
    "load": load,
    "lower": lowering,
    "render": render,
    "validate_json": validate_json,
    "hint": hint,
    "foreign_text": foreign_text,
    "repair": repair_payload,
    "stream": stream,
    "history": history,
}
