"""The six kinds of JSON values, and which of them a schema can take at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, Final

from toolgen.schema.ir import Schema


class Kind(Enum):
    """A kind of JSON value; integers are numbers."""

    NULL = "null"
    BOOLEAN = "boolean"
    NUMBER = "number"
    STRING = "string"
    ARRAY = "array"
    OBJECT = "object"


ALL_KINDS: Final = frozenset(Kind)
KIND_OF_TYPE: Final = {kind.value: kind for kind in Kind} | {"integer": Kind.NUMBER}

_MAX_DEPTH: Final = 40
"""Levels of in-place subschemas that are looked through; below that every kind counts as possible."""


def kind_of(value: Any) -> Kind:
    """The kind of a JSON value."""
    match value:
        case None:
            return Kind.NULL
        case bool():
            return Kind.BOOLEAN
        case int() | float():
            return Kind.NUMBER
        case str():
            return Kind.STRING
        case list():
            return Kind.ARRAY
        case _:
            return Kind.OBJECT


def kinds_of_types(types: Iterable[str]) -> frozenset[Kind]:
    """The kinds that type names cover."""
    return frozenset(KIND_OF_TYPE[name] for name in types)


def possible_kinds(schema: Schema) -> frozenset[Kind]:
    """A superset of the kinds of the values that a schema takes."""
    return _possible_kinds(schema, 0, {})


def _possible_kinds(schema: Schema, depth: int, known: dict[Schema, frozenset[Kind]]) -> frozenset[Kind]:
    if schema.verdict is not None or depth > _MAX_DEPTH:
        return frozenset() if schema.verdict is False else ALL_KINDS
    if schema not in known:  # the same definition may be reached in very many ways
        known[schema] = _own_kinds(schema) & _kinds_in_place(
            schema, lambda part: _possible_kinds(part, depth + 1, known)
        )
    return known[schema]


def _own_kinds(schema: Schema) -> frozenset[Kind]:
    kinds = ALL_KINDS if schema.types is None else kinds_of_types(schema.types)
    if "const" in schema.assertions:
        kinds &= {kind_of(schema.assertions["const"])}
    if "enum" in schema.assertions:
        kinds &= {kind_of(value) for value in schema.assertions["enum"]}
    return kinds


def _kinds_in_place(schema: Schema, of: Callable[[Schema], frozenset[Kind]]) -> frozenset[Kind]:
    kinds = ALL_KINDS
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema.single:
            kinds &= of(schema.single[keyword])
    for part in schema.listed.get("allOf", ()):
        kinds &= of(part)
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema.listed:
            kinds &= frozenset[Kind]().union(*map(of, schema.listed[keyword]))
    return kinds


def choices(schema: Schema) -> list[tuple[str, tuple[Any, ...]]]:
    """(constraint, values) of `enum` and `const`."""
    found: list[tuple[str, tuple[Any, ...]]] = []
    if "enum" in schema.assertions:
        found.append(("enum", tuple(schema.assertions["enum"])))
    if "const" in schema.assertions:
        found.append(("const", (schema.assertions["const"],)))
    return found


def sole_kind(schema: Schema) -> Kind | None:
    """The one kind that `type` leaves, among those that have keywords of their own."""
    kinds = [] if schema.types is None else list(kinds_of_types(schema.types))
    return kinds[0] if len(kinds) == 1 and kinds[0] not in (Kind.NULL, Kind.BOOLEAN) else None


def home_of_values(schema: Schema) -> Kind | None:
    """The one kind that `type` leaves, where `enum` and `const` can be looked at inside its branch."""
    kind = sole_kind(schema)
    return kind if choices(schema) and kind in (Kind.STRING, Kind.NUMBER) else None
