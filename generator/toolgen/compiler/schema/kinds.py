"""The six kinds of JSON values and the seven types, which tell integers from other numbers."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, Final

from toolgen_runtime.schema.raw import json_type


class Kind(Enum):
    """A kind of JSON value. Integers belong to the kind `number`."""

    NULL = "null"
    BOOLEAN = "boolean"
    NUMBER = "number"
    STRING = "string"
    ARRAY = "array"
    OBJECT = "object"

    __hash__ = object.__hash__  # `Enum` hashes names in Python, which is slower


Types = frozenset[str]
"""Types of JSON values; a number is an `integer` or a `fraction`."""

ALL_KINDS: Final = frozenset(Kind)
ALL_TYPES: Final[Types] = frozenset(
    ("string", "integer", "fraction", "boolean", "array", "object", "null"),
)
_KIND_OF_TYPE: Final = {kind.value: kind for kind in Kind} | dict.fromkeys(
    ("integer", "fraction"), Kind.NUMBER
)


def type_of(value: Any) -> str:
    """Return the narrowest type of a JSON value. For 1.0, it is `integer`."""
    name = json_type(value)
    return "fraction" if name == "number" else name


def kind_of(value: Any) -> Kind:
    """Return the kind of a JSON value."""
    return kind_of_type(type_of(value))


def kind_of_type(name: str) -> Kind:
    """Return the kind to which the values of a type belong."""
    return _KIND_OF_TYPE[name]


def kinds_of_types(types: Iterable[str]) -> frozenset[Kind]:
    """Return the kinds to which the values of some types belong."""
    return frozenset(map(kind_of_type, types))


def narrowest_types(types: Iterable[str]) -> Types:
    """Return the types that the names under `type` include, each as narrow as possible.

    `number` covers two types: integer and fraction.
    """
    return frozenset(n for name in types for n in (("integer", "fraction") if name == "number" else (name,)))
