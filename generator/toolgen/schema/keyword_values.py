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


def _number(value: Any) -> str | None:
    return None if _is_number(value) else "write a JSON number"


def _positive(value: Any) -> str | None:
    return None if _is_number(value) and value > 0 else "write a number above 0"


def _count(value: Any) -> str | None:
    return None if _is_count(value) else "write a whole number, 0 or more"


def _boolean(value: Any) -> str | None:
    return None if isinstance(value, bool) else "write true or false"


def _string(value: Any) -> str | None:
    return None if isinstance(value, str) else "write a string"


def _names(value: Any) -> str | None:
    return None if _are_names(value) else "write an array of property names, beside `properties`"


def _type(value: Any) -> str | None:
    if isinstance(value, str) and value in _TYPES:
        return None
    names = value if isinstance(value, list) else [value]
    if names and all(isinstance(n, str) and n in _TYPES for n in names):
        return None
    return f"the types are {', '.join(_TYPES)}"


def _values(value: Any) -> str | None:
    return None if isinstance(value, list) else "write an array of the allowed values"


def _name_lists(value: Any) -> str | None:
    fits = isinstance(value, dict) and all(map(_are_names, value.values()))
    return None if fits else "write an array of property names under each name"


def _schema(value: Any) -> str | None:
    return None if _is_schema(value) else "write an object or a boolean"


def _schemas(value: Any) -> str | None:
    return None if _are_schemas(value) else "write an array with at least one schema"


def _schema_map(value: Any) -> str | None:
    fits = isinstance(value, dict) and all(map(_is_schema, value.values()))
    return None if fits else "write a schema under each name"


def _items(value: Any) -> str | None:
    fits = _is_schema(value) or (isinstance(value, list) and all(map(_is_schema, value)))
    return None if fits else "write a schema, or an array of schemas"


def _dependencies(value: Any) -> str | None:
    fits = isinstance(value, dict) and all(_is_schema(v) or _are_names(v) for v in value.values())
    return None if fits else "write a schema or an array of names under each name"


_FIXES: Final[dict[Shape, Callable[[Any], str | None]]] = {
    Shape.NUMBER: _number,
    Shape.POSITIVE: _positive,
    Shape.COUNT: _count,
    Shape.BOOLEAN: _boolean,
    Shape.STRING: _string,
    Shape.FORMAT: _string,
    Shape.PATTERN: _string,
    Shape.NAMES: _names,
    Shape.TYPE: _type,
    Shape.VALUES: _values,
    Shape.NAME_LISTS: _name_lists,
    Shape.SCHEMA: _schema,
    Shape.SCHEMAS: _schemas,
    Shape.SCHEMA_MAP: _schema_map,
    Shape.ITEMS: _items,
    Shape.DEPENDENCIES: _dependencies,
    Shape.REFERENCE: _string,
}


def fix_for(shape: Shape, value: Any) -> str | None:
    """Return how to fix a keyword's value that does not have its shape; None where it has."""
    return None if shape is Shape.ANY else _FIXES[shape](value)
