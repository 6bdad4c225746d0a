"""The few shapes that a JSON Schema's keywords must have (2020-12), for finding what a server would refuse.

This is not metaschema validation, which is done when a package is built. It finds what reaches a provider
from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolgen_runtime.schema.keywords import KEYWORDS
from toolgen_runtime.schema.pointer import join
from toolgen_runtime.schema.subschemas import each_schema, map_schema

_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _count(value: object) -> bool:
    return _number(value) and float(value) >= 0 and float(value).is_integer()  # type: ignore[arg-type]


def _text(value: object) -> bool:
    return isinstance(value, str)


def _strings(value: object) -> bool:
    return (
        isinstance(value, list) and all(isinstance(v, str) for v in value) and len(set(value)) == len(value)
    )


def _type(value: object) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(n, str) and n in _TYPES for n in names)


def _schema(value: object) -> bool:
    return isinstance(value, dict | bool)


def _schemas(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_schema, value))


def _named(value: object) -> bool:
    return isinstance(value, dict) and all(map(_schema, value.values()))


_OF_SHAPE: Mapping[str, Callable[[object], bool]] = {
    "a type name or an array of type names": _type,
    "an array": lambda v: isinstance(v, list),
    "an array of strings": _strings,
    "a string": _text,
    "a regular expression": _text,
    "the name of a format": _text,
    "a URI reference": _text,
    "true or false": lambda v: isinstance(v, bool),
    "a number": _number,
    "a number above 0": lambda v: _number(v) and v > 0,  # type: ignore[operator]
    "a non-negative integer": _count,
    "a schema": _schema,
    "a non-empty array of schemas": _schemas,
    "an object whose values are schemas": _named,
}
_SHAPES: Mapping[str, Callable[[object], bool]] = {
    **{
        row.name: _OF_SHAPE[row.shape]
        for row in KEYWORDS.values()
        if not row.is_annotation and row.shape in _OF_SHAPE
    },
    **dict.fromkeys(("title", "description", "$id", "$anchor"), _text),
}


def _malformed(schema: dict[str, Any]) -> list[str]:
    return [word for word, value in schema.items() if word in _SHAPES and not _SHAPES[word](value)]


def malformed_keywords(schema: Any) -> Iterator[str]:
    """JSON pointers to the keywords whose values no schema may have."""
    for steps, part in each_schema(schema):
        for word in _malformed(part):
            yield join(*steps, word)


def without_malformed(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without those keywords: it accepts what it did, and is one that a server takes."""

    def sound(part: dict[str, Any]) -> dict[str, Any]:
        bad = _malformed(part)
        return {k: v for k, v in part.items() if k not in bad}

    return map_schema(schema, sound)
