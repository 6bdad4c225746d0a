"""What a value that is not a text can mean where another type is wanted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.edits import Reading
from toolgen_runtime.hints.values.allowed_values import readings_of_choice
from toolgen_runtime.hints.values.text_readings import by_position, readings_of_text
from toolgen_runtime.hints.words import words_of
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.field_path import ANY_ITEM

MAX_ITEMS = 1000
_JSON_TEXT = re.compile(r"\bjson\b|stringified|serialized", re.IGNORECASE)


def readings_of(node: SchemaNode, got: Any, wanted: Sequence[str], name: str) -> Iterator[Reading]:
    """Yield what a value can mean where one of the types `wanted` belongs; `name` is the field's."""
    if isinstance(got, str):
        return readings_of_text(node, got, wanted, name)
    if isinstance(got, list):
        return _of_list(node, got, wanted, name)
    if isinstance(got, dict):
        return _of_object(node, got, wanted, name)
    return _of_number(node, got, wanted, name)


def _of_number(node: SchemaNode, got: Any, wanted: Sequence[str], name: str) -> Iterator[Reading]:
    """Yield what a number or boolean can mean: a text, a boolean, one item of a list."""
    if "string" in wanted:
        from toolgen_runtime.hints.values.times import iso_time

        if (time := iso_time(node, got)) is not None:
            yield Reading("set", time, rule="text")
            return
        if type(got) is float or (type(got) is int and got.bit_length() < 80):
            certain = type(got) is int and got > 0 and words_of(name)[-1:] == ("id",) and len(wanted) == 1
            yield Reading("set", str(got), certain, "text", whole=True)
    if "boolean" in wanted and type(got) is int and got in (0, 1):
        yield Reading("set", got == 1)
    if "array" in wanted and (types := node.child(ANY_ITEM).types) and admits(types, json_type(got)):
        yield Reading("wrap", got, True, "wrapped", whole=True)


def _of_list(node: SchemaNode, got: list[Any], wanted: Sequence[str], name: str) -> Iterator[Reading]:
    """Yield what a list can mean where none is wanted: its only item, an object by position, a text with commas."""
    if len(got) == 1:
        if admits(tuple(wanted), json_type(got[0])):
            yield Reading("unwrap", got[0], True, "unwrapped", whole=True)
        if isinstance(got[0], str):
            choices = readings_of_choice(node, got[0], node.allowed) if node.allowed else None
            inner = next(choices or readings_of_text(node, got[0], wanted, name), None)
            if inner is not None and inner.op == "set":
                yield inner._replace(rule="unwrapped", whole=True)
    elif "object" in wanted:
        members = by_position(node, got) if got else {}
        if members is not None:
            yield Reading("set", members, whole=bool(got))
    elif "string" in wanted and len(got) > 1:
        described = node.first("description", str) or ""
        if _JSON_TEXT.search(described):
            yield Reading("set", _dumped(got), rule="text")
        elif "comma" in described.lower() and all(isinstance(v, str) for v in got[:MAX_ITEMS]):
            yield Reading("set", ",".join(got[:MAX_ITEMS]), rule="text")


def _of_object(node: SchemaNode, got: dict[Any, Any], wanted: Sequence[str], name: str) -> Iterator[Reading]:
    """Yield what an object can mean where none is wanted: an item of the list, its only member, a JSON text."""
    inner = next(iter(got.values())) if len(got) == 1 else None
    if "array" in wanted:
        item = node.child(ANY_ITEM)
        if got and got.keys() <= item.properties.keys() and admits(item.types, "object"):
            yield Reading("wrap", got, True, "wrapped", whole=not item.required <= got.keys())
        if isinstance(inner, list):
            yield Reading("unwrap", inner, True, "unwrapped", whole=True)
    elif "string" in wanted and _JSON_TEXT.search(f"{name} {node.first('description', str) or ''}"):
        yield Reading("set", _dumped(got), rule="text")
    elif inner is not None and not isinstance(inner, dict) and admits(tuple(wanted), json_type(inner)):
        yield Reading("unwrap", inner, False, "unwrapped", whole=True)


def _dumped(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""
