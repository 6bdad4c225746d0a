"""What the value of a keyword must look like: a description, a test, and advice if the test fails.

The keyword table imports this module, and the first issue in a process loads that table, so this module imports little.
"""

from __future__ import annotations

from math import isfinite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")


class Shape:
    """What the value of a keyword must look like. `fits` tests a value, and `fix` is the advice if it does
    not fit.
    """

    __slots__ = ("fits", "fix", "words")

    def __init__(self, words: str, fits: Callable[[Any], bool], fix: str) -> None:
        self.words = words
        self.fits = fits
        self.fix = fix

    def __repr__(self) -> str:
        return f"Shape({self.words!r})"


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_type(value: Any) -> bool:
    if isinstance(value, list):
        names = value
    else:
        names = [value]
    return bool(names) and all(isinstance(name, str) and name in TYPES for name in names)


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_string, value))


def _are_schemas(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_schema, value))


def _by_name(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(fits, value.values()))


_A_STRING = "write a string"
NUMBER: Final = Shape("a number", _is_number, "write a JSON number")
POSITIVE: Final = Shape("a number above 0", lambda v: _is_number(v) and v > 0, "write a number above 0")
COUNT: Final = Shape("a non-negative integer", _is_count, "write a whole number, 0 or more")
BOOLEAN: Final = Shape("true or false", lambda v: isinstance(v, bool), "write true or false")
STRING: Final = Shape("a string", _is_string, _A_STRING)
FORMAT: Final = Shape("the name of a format", _is_string, _A_STRING)
PATTERN: Final = Shape("a regular expression", _is_string, _A_STRING)
REFERENCE: Final = Shape("a URI reference", _is_string, _A_STRING)
NAMES: Final = Shape(
    "an array of strings", _are_names, "write an array of property names, next to `properties`"
)
TYPE: Final = Shape("a type name or an array of type names", _is_type, f"the types are {', '.join(TYPES)}")
VALUES: Final = Shape("an array", lambda v: isinstance(v, list), "write an array of the allowed values")
ANY: Final = Shape("any value", lambda _: True, "")
NAME_LISTS: Final = Shape(
    "an object whose values are arrays of strings",
    _by_name(_are_names),
    "write an array of property names under each name",
)
SCHEMA: Final = Shape("a schema", _is_schema, "write an object or a boolean")
SCHEMAS: Final = Shape(
    "a non-empty array of schemas",
    lambda v: bool(v) and _are_schemas(v),
    "write an array with at least one schema",
)
SCHEMA_MAP: Final = Shape(
    "an object whose values are schemas", _by_name(_is_schema), "write a schema under each name"
)
ITEMS: Final = Shape(
    "a schema or an array of schemas",
    lambda v: _is_schema(v) or _are_schemas(v),
    "write a schema, or an array of schemas",
)
DEPENDENCIES: Final = Shape(
    "an object whose values are schemas or arrays of strings",
    _by_name(lambda v: _is_schema(v) or _are_names(v)),
    "write a schema or an array of names under each name",
)
