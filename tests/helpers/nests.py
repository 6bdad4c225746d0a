"""Values and schemas nested as deep as one likes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def nested(times: int, wrap: Callable[[Any], Any], leaf: Any) -> Any:
    for _ in range(times):
        leaf = wrap(leaf)
    return leaf


def objects(depth: int, leaf: Any) -> Any:
    return nested(depth, lambda inner: {"a": inner}, leaf)


def arrays(depth: int, leaf: Any) -> Any:
    return nested(depth, lambda inner: [inner], leaf)


TEXT = {"type": "string"}
WRAPS: dict[str, Callable[[Any], Any]] = {
    "properties": lambda s: {"type": "object", "properties": {"a": s}, "required": ["a"]},
    "additionalProperties": lambda s: {"additionalProperties": s},
    "patternProperties": lambda s: {"patternProperties": {"a": s}},
    "unevaluatedProperties": lambda s: {"unevaluatedProperties": s},
    "propertyNames": lambda s: {"propertyNames": s},
    "dependentSchemas": lambda s: {"dependentSchemas": {"a": s}},
    "items": lambda s: {"type": "array", "items": s},
    "prefixItems": lambda s: {"prefixItems": [s]},
    "contains": lambda s: {"contains": s},
    "anyOf": lambda s: {"anyOf": [s, {"type": "null"}]},
    "oneOf": lambda s: {"oneOf": [{"type": "null"}, s]},
    "allOf": lambda s: {"allOf": [s]},
    "not": lambda s: {"not": s},
    "then": lambda s: {"if": {"type": "string"}, "then": s},
    "if": lambda s: {"if": s, "then": {"minLength": 1}},
}

SELF = {"$ref": "#"}
_BELOW = {"properties": {"a": SELF}}
_NODE = {"type": "object", **_BELOW}
_CLOSED = {**_NODE, "additionalProperties": False}
_LIST = {"type": "array", "items": SELF}
_A, _B = {"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}
TREES: dict[str, Any] = {
    "object": _CLOSED,
    "array": _LIST,
    "union by kind": {"anyOf": [_LIST, _CLOSED]},
    "union untagged": {"anyOf": [{**_NODE, "required": ["x"]}, _NODE]},
    "oneOf untagged": {"oneOf": [{**_NODE, "required": ["x"]}, {**_NODE, "maxProperties": 1}]},
    "unevaluated": {"type": "object", "anyOf": [_BELOW], "unevaluatedProperties": False},
    "allOf twice": {"type": "object", "allOf": [_BELOW] * 2},
    "patterns": {"type": "object", "patternProperties": {"a": SELF, "^a": SELF}},
    "contains": {**_LIST, "contains": SELF, "minContains": 0, "maxContains": 9},
    "if": {"type": "object", "if": _BELOW, "then": _BELOW, "else": False},
    "through definitions": {
        **_A,
        "$defs": {
            "a": {"type": "object", "properties": {"a": {"anyOf": [_B, _A]}}},
            "b": {"type": "object", "properties": {"a": _A}, "minProperties": 1},
        },
    },
}
"""Schemas of trees, each of which has the next level in `a` or among its items."""


def closed(names: Sequence[str]) -> dict[str, Any]:
    """Return the schema of an object with these texts and no other key."""
    members = dict.fromkeys(names, TEXT)
    return {"type": "object", "properties": members, "required": [*names], "additionalProperties": False}
