"""What a value that is not a text can mean where another type is wanted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.fits import fits, is_allowed
from toolgen_runtime.hints.values.allowed_values import readings_of_choice
from toolgen_runtime.hints.values.member_readings import items_with_keys, members_of_list
from toolgen_runtime.hints.values.number_readings import cents_of
from toolgen_runtime.hints.values.reading import Reading
from toolgen_runtime.hints.values.text_readings import readings_of_text
from toolgen_runtime.hints.values.time_formats import iso_time
from toolgen_runtime.hints.words import words_of
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.field_path import ANY_ITEM

MAX_ITEMS = 1000
_JSON_TEXT = re.compile(r"\bjson\b|stringified|serialized", re.IGNORECASE)


def readings_of_number(node: SchemaNode, got: Any, wanted: Sequence[str], name: str) -> Iterator[Reading]:
    """Yield what a number or boolean can mean: a text, a boolean, one item of a list."""
    if "string" in wanted:
        if (time := iso_time(node, got)) is not None:
            yield Reading("set", time, rule="text")
            return
        whole = type(got) is int and got > 0 and got.bit_length() < 80
        certain = whole and words_of(name)[-1:] == ("id",) and len(wanted) == 1
        if type(got) is bool and "boolean" not in wanted and _may_be_a_word(node, name):
            yield Reading("set", str(got).lower(), rule="text")
        text = str(got) if type(got) is float or (type(got) is int and got.bit_length() < 80) else ""
        if text and (not node.allowed or is_allowed(node, text)):
            yield Reading("set", text, certain, "text")
    if "boolean" in wanted and got in (0, 1) and type(got) is int:
        yield Reading("set", got == 1, False, "parsed")
    if "integer" in wanted and type(got) is float and (cents := cents_of(node, got, name)) is not None:
        yield Reading("set", cents)
    if "array" in wanted:
        item = node.child(ANY_ITEM)
        if item.types and admits(item.types, json_type(got)) and (not item.allowed or is_allowed(item, got)):
            yield Reading("wrap", got, True, "wrapped")


def _may_be_a_word(node: SchemaNode, name: str) -> bool:
    """Return whether a text may be `true` or `false`: the value of anything, or what the description says is one."""
    return words_of(name)[-1:] == ("value",) or "true" in (node.first("description", str) or "").lower()


def readings_of_list(node: SchemaNode, got: list[Any], wanted: Sequence[str], name: str) -> Iterator[Reading]:
    """Yield what a list can mean where none is wanted: its only item, the members of an object, a text with commas."""
    if len(got) == 1 and admits(tuple(wanted), json_type(got[0])) and fits(node, got[0]):
        members = members_of_list(node, got)
        if members is None:
            yield Reading("unwrap", got[0], True, "unwrapped")
        else:
            yield Reading("set", members, other=got[0])
    elif len(got) == 1 and isinstance(got[0], str):
        yield from _of_only_text(node, got[0], wanted, name)
    elif not got and "object" in wanted:
        yield Reading("set", {}, False, "parsed")
    elif "object" in wanted and (members := members_of_list(node, got)) is not None:
        yield Reading("set", members, False, "parsed")
    elif "string" in wanted and len(got) > 1:
        described = node.first("description", str) or ""
        if _JSON_TEXT.search(described):
            yield Reading("set", _dumped(got), False, "text")
        elif "comma" in described.lower() and all(isinstance(v, str) for v in got[:MAX_ITEMS]):
            yield Reading("set", ",".join(got[:MAX_ITEMS]), False, "text")


def _of_only_text(node: SchemaNode, text: str, wanted: Sequence[str], name: str) -> Iterator[Reading]:
    """Yield what the only item of a list can mean in its place, where it is not right as it is."""
    choices = readings_of_choice(node, text, node.allowed) if node.allowed else None
    inner = next(choices or readings_of_text(node, text, wanted, name), None)
    if inner is not None and inner.op == "set":
        yield inner._replace(rule="unwrapped")


def readings_of_object(
    node: SchemaNode, got: dict[Any, Any], wanted: Sequence[str], name: str
) -> Iterator[Reading]:
    """Yield what an object can mean where none is wanted: an item of the list, its only member, a JSON text."""
    if "array" in wanted:
        item = node.child(ANY_ITEM)
        declared = bool(got) and got.keys() <= item.properties.keys()
        if declared and "object" in item.types and (fits(item, got) or item.required <= got.keys()):
            yield Reading("wrap", got, True, "wrapped")
            return
        if len(got) == 1 and isinstance(inner := next(iter(got.values())), list) and fits(node, inner):
            yield Reading("unwrap", inner, _names_items(next(iter(got)), name), "unwrapped")
            return
        yield from _items_of_mapping(node, item, got)
    elif "string" in wanted and _JSON_TEXT.search(f"{name} {node.first('description', str) or ''}"):
        yield Reading("set", _dumped(got), False, "text")
    elif len(got) == 1 and fits(node, inner := next(iter(got.values()))) and not isinstance(inner, dict):
        yield Reading("unwrap", inner, False, "unwrapped")


def _items_of_mapping(node: SchemaNode, item: SchemaNode, got: dict[Any, Any]) -> Iterator[Reading]:
    """Yield the members of an object as the items of a list: those at indices, all, or each with its key."""
    values = list(got.values())
    if len(values) > MAX_ITEMS:
        return
    if [*got] == [str(i) for i in range(len(got))] and fits(node, values):
        yield Reading("set", values, bool(got), "parsed")
    elif all(isinstance(v, dict) and fits(item, v) for v in values):
        yield Reading("set", values, False, "parsed")
    elif (pairs := items_with_keys(item, got)) is not None:
        yield Reading("set", pairs, False, "parsed")
    elif item.types == ("object",) and got and not item.properties and not item.closed:
        yield Reading("wrap", got, rule="wrapped")
    elif (
        len(values) == 1 and not isinstance(values[0], (dict, list)) and item.types and fits(item, values[0])
    ):
        yield Reading("set", values, False, "unwrapped")


def _names_items(key: object, name: str) -> bool:
    """Return whether a key says no more than that items follow: `items`, or the field's own name."""
    words = words_of(key) if isinstance(key, str) else ()
    return words in (("item",), ("element",), ("value",), ("entry",), ("list",)) or words == words_of(name)


def _dumped(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""
