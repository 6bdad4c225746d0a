"""Objects as models write them in other shapes: pairs, positions, `key=value`; and lists written as objects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.fits import fits
from toolgen_runtime.hints.values.number_readings import number_in
from toolgen_runtime.schema.node import SchemaNode

MAX_MEMBERS = 100
MAX_TEXT = 400
_PAIRS = (("key", "value"), ("name", "value"), ("k", "v"), ("field", "value"))
_BETWEEN = re.compile(r"\s*[,;&\n]\s*")
_MEMBER = re.compile(r"([A-Za-z_][\w./-]{0,60})\s*[=:]\s*(\S(?:.*\S)?)")
_VALUES = re.compile(r"\s*[,;x\u00d7|]\s*|\s+")


def members_of_list(node: SchemaNode, items: Sequence[Any]) -> dict[str, Any] | None:
    """Return the object that a list holds as pairs, in parts or by position; None where it holds none that fits.

    `[{"key": "a", "value": 1}]` is `{"a": 1}`, as are `[["a", 1]]` and `[{"a": 1}]`, and `[48.8, 2.3]` is
    `{"lat": 48.8, "lon": 2.3}` where just these two are wanted.
    """
    if not items or len(items) > MAX_MEMBERS:
        return None
    if all(isinstance(item, dict) for item in items):
        return _of_objects(node, items)
    if all(isinstance(item, list) and len(item) == 2 and isinstance(item[0], str) for item in items):
        pairs = dict(items)
        return _fitting(node, pairs) if len(pairs) == len(items) else None
    return None if any(isinstance(item, dict) for item in items) else _by_position(node, items)


def _of_objects(node: SchemaNode, items: Sequence[dict[Any, Any]]) -> dict[str, Any] | None:
    for key, value in _PAIRS:
        names = [i[key] for i in items if i.keys() == {key, value} and isinstance(i[key], str)]
        if len(set(names)) == len(items) and key not in node.properties:
            return _fitting(node, {i[key]: i[value] for i in items})
    merged = {k: v for item in items for k, v in item.items()}
    is_in_parts = len(items) > 1 and len(merged) == sum(map(len, items))
    return _fitting(node, merged) if is_in_parts else None


def members_in(node: SchemaNode, text: str) -> dict[str, Any] | None:
    """Return the object that a text says: `app=web, tier=front`, or by position `1024x768`; None where none fits."""
    if not text or len(text) > MAX_TEXT:
        return None
    found = [_MEMBER.fullmatch(part) for part in _BETWEEN.split(text) if part]
    if found and all(found):
        members = {match[1]: match[2].strip("'\"") for match in found if match is not None}
        read = {k: _scalar(node.child(k), v) for k, v in members.items()}
        whole = _fitting(node, members) or _fitting(node, read) if len(members) == len(found) else None
        return whole or (_pair(node, *members.items()) if len(found) == 1 else None)
    return _in_order(node, text)


def _in_order(node: SchemaNode, text: str) -> dict[str, Any] | None:
    values = [part for part in _VALUES.split(text) if part]
    found = [
        members
        for form in _forms(node)
        if not any("string" in form.child(n).types for n in _names(form))
        if (members := _by_position(form, [_scalar(form, v) for v in values])) is not None
    ]
    return found[0] if len(found) == 1 else None


def _pair(node: SchemaNode, pair: tuple[str, str]) -> dict[str, Any] | None:
    """Return the object of two texts that `A=1` is: `{"name": "A", "value": "1"}`."""
    names = _names(node)
    return _fitting(node, dict(zip(names, pair, strict=True))) if len(names) == 2 else None


def items_with_keys(item: SchemaNode, members: dict[Any, Any]) -> list[dict[str, Any]] | None:
    """Return the items of a list that was written as an object: `{"a": "x"}` as `[{"path": "a", "content": "x"}]`."""
    names = _names(item)
    if item.types != ("object",) or not names or not all(isinstance(k, str) for k in members):
        return None
    pairs = [{names[0]: k, names[1]: v} for k, v in members.items()] if len(names) == 2 else []
    if pairs and all(fits(item, pair) for pair in pairs):
        return pairs
    if members and all(isinstance(v, dict) for v in members.values()):
        free = [n for n in names if n in item.required and all(n not in v for v in members.values())]
        items = [{free[0]: k, **v} for k, v in members.items()] if len(free) == 1 else []
        return items if items and all(fits(item, i) for i in items) else None
    return None


def _names(node: SchemaNode) -> list[str]:
    """Return the names of the members that an object must have; where none or one must be there, of all."""
    needed = [n for n in node.properties if n in node.required]
    return needed if len(needed) > 1 else [*node.properties]


def _forms(node: SchemaNode) -> Sequence[SchemaNode]:
    """Return the forms of a union, or the object itself."""
    return node.leaf_nodes if node.unions else [node]


def _by_position(node: SchemaNode, values: Sequence[Any]) -> dict[str, Any] | None:
    """Return the object, of the one form that has as many members, with these values in their order."""
    found = []
    for form in _forms(node):
        names = _names(form)
        if len(names) == len(values) > 1:
            members = _fitting(form, dict(zip(names, values, strict=True)))
            found += [members] if members is not None else []
    return found[0] if len(found) == 1 else None


def _fitting(node: SchemaNode, members: dict[str, Any]) -> dict[str, Any] | None:
    return (
        members
        if fits(node, members) and (node.properties.keys() >= members.keys() or not node.properties)
        else None
    )


def _scalar(node: SchemaNode, text: str) -> Any:
    """Return a text as the number or boolean that a place wants; of an object, that its members may be."""
    read = number_in(text, ("number",) if node.types == ("object",) else node.types)
    if read is not None:
        return read.value
    return {"true": True, "false": False}.get(text.lower(), text) if "boolean" in node.types else text
