"""Values and schemas nested as deep as one likes."""

from __future__ import annotations

from collections.abc import Callable
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
