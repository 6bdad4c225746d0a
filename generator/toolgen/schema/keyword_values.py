"""Whether the value under a keyword has the shape that the dialect's meta-schema asks for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from toolgen.schema.vocabulary import Shape

MAX_CONSTANT_DEPTH: Final = 60
"""Levels of a value that stands in generated code; Python nests about 90 brackets in one expression."""
_TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


def _are_schemas(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_schema, value))


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value in _TYPES


def _are_schemas_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_schema, value.values()))


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


_FIXES: Final[dict[Shape, tuple[Callable[[Any], bool], str]]] = {
    Shape.NUMBER: (_is_number, "write a JSON number"),
    Shape.POSITIVE: (lambda v: _is_number(v) and v > 0, "write a number above 0"),
    Shape.COUNT: (_is_count, "write a whole number, 0 or more"),
    Shape.BOOLEAN: (lambda v: isinstance(v, bool), "write true or false"),
    **dict.fromkeys(
        (Shape.STRING, Shape.FORMAT, Shape.PATTERN, Shape.REFERENCE), (_is_string, "write a string")
    ),
    Shape.NAMES: (_are_names, "write an array of property names, next to `properties`"),
    Shape.TYPE: (
        lambda v: _is_name(v) or (isinstance(v, list) and bool(v) and all(map(_is_name, v))),
        f"the types are {', '.join(_TYPES)}",
    ),
    Shape.VALUES: (lambda v: isinstance(v, list), "write an array of the allowed values"),
    Shape.NAME_LISTS: (
        lambda v: isinstance(v, dict) and all(map(_are_names, v.values())),
        "write an array of property names under each name",
    ),
    Shape.SCHEMA: (_is_schema, "write an object or a boolean"),
    Shape.SCHEMAS: (_are_schemas, "write an array with at least one schema"),
    Shape.SCHEMA_MAP: (_are_schemas_by_name, "write a schema under each name"),
    Shape.ITEMS: (
        lambda v: _is_schema(v) or (isinstance(v, list) and all(map(_is_schema, v))),
        "write a schema, or an array of schemas",
    ),
    Shape.DEPENDENCIES: (
        lambda v: isinstance(v, dict) and all(_is_schema(each) or _are_names(each) for each in v.values()),
        "write a schema or an array of names under each name",
    ),
}
"""What tests the value of a keyword, and how to fix one that fails."""


def fix_for(shape: Shape, value: Any) -> str | None:
    """Return how to fix a keyword's value that does not have its shape; None if it has."""
    if shape is Shape.ANY:
        return None
    fits, fix = _FIXES[shape]
    return None if fits(value) else fix
