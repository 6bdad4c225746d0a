"""Whether the value of a keyword has the shape that its row names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_type(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(name, str) and name in TYPES for name in names)


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_string, value))


def _are_schemas(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_schema, value))


def _by_name(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(fits, value.values()))


_TESTS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "a number": _is_number,
    "a number above 0": lambda value: _is_number(value) and value > 0,
    "a non-negative integer": _is_count,
    "true or false": lambda value: isinstance(value, bool),
    "a string": _is_string,
    "the name of a format": _is_string,
    "a regular expression": _is_string,
    "a URI reference": _is_string,
    "an array of strings": _are_names,
    "a type name or an array of type names": _is_type,
    "an array": lambda value: isinstance(value, list),
    "any value": lambda _: True,
    "an object whose values are arrays of strings": _by_name(_are_names),
    "a schema": _is_schema,
    "a non-empty array of schemas": lambda value: bool(value) and _are_schemas(value),
    "an object whose values are schemas": _by_name(_is_schema),
    "a schema or an array of schemas": lambda value: _is_schema(value) or _are_schemas(value),
    "an object whose values are schemas or arrays of strings": _by_name(
        lambda value: _is_schema(value) or _are_names(value)
    ),
}


def fits(shape: str, value: Any) -> bool:
    """Return whether the value under a keyword has the keyword's shape."""
    return _TESTS[shape](value)
