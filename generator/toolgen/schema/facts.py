"""What holds of every payload of a schema, read off the schemas that it must satisfy together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen.schema.ir import Schema

Kinds = frozenset[str]
"""JSON types, where a number is an `integer` or a `fraction`."""

ALL_KINDS: Kinds = frozenset(["string", "integer", "fraction", "boolean", "array", "object", "null"])

_KINDS_OF_TYPE = {"number": ("integer", "fraction")}
_UNIONS = ("anyOf", "oneOf")
_ARRAY_PARTS = ("items", "additionalItems")


def conjuncts(schema: Schema) -> tuple[Schema, ...]:
    """The schema and all that a payload must satisfy with it: what it refers to, the members of its `allOf`."""
    found: dict[Schema, None] = {}
    waiting = [schema]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found[one] = None
        waiting.extend(reversed(one.listed.get("allOf", ())))
        waiting.extend(one.single[k] for k in ("$dynamicRef", "$ref") if k in one.single)
    return tuple(found)


def kind_of(value: Any) -> str:
    """The kind of one JSON value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "fraction"
        case str():
            return "string"
        case list() | tuple():
            return "array"
        case _:
            return "object"


def values_of(schema: Schema) -> list[Any] | None:
    """The values that `const` or `enum` allows; None where neither stands."""
    if "const" in schema.assertions:
        return [schema.assertions["const"]]
    values = schema.assertions.get("enum")
    return None if values is None else list(values)


def kinds(together: Sequence[Schema]) -> Kinds:
    """The kinds that `type`, `enum` and `const` leave to a payload of all these schemas."""
    left = ALL_KINDS
    for schema in together:
        left &= _own_kinds(schema)
    return left


def _own_kinds(schema: Schema) -> Kinds:
    if schema.verdict is False:
        return frozenset()
    left = ALL_KINDS
    if schema.types is not None:
        left = frozenset(kind for name in schema.types for kind in _KINDS_OF_TYPE.get(name, (name,)))
    values = values_of(schema)
    return left if values is None else left & frozenset(map(kind_of, values))


def closes(schema: Schema) -> bool:
    """Whether no key is allowed beside the schema's own `properties`."""
    rest = schema.single.get("additionalProperties")
    return rest is not None and rest.verdict is False and not schema.named.get("patternProperties")


def has_parts(schema: Schema) -> bool:
    """Whether the schema itself, and nothing that it joins, says what an object or an array holds."""
    return (
        bool(schema.named.get("properties") or schema.named.get("patternProperties"))
        or "prefixItems" in schema.listed
        or any(k in schema.single for k in _ARRAY_PARTS)
        or "additionalProperties" in schema.single
    )


def branches(schema: Schema) -> tuple[Schema, ...]:
    """The branches of the schema's own union, if they say more of a payload than which keys must be there."""
    for keyword in _UNIONS:
        members = schema.listed.get(keyword, ())
        if any(says_types(member) for member in members):
            return tuple(member for member in members if member.verdict is not False)
    return ()


def says_types(schema: Schema) -> bool:
    """Whether a view can show anything of what this schema demands."""
    return any(
        one.types is not None
        or values_of(one) is not None
        or has_parts(one)
        or any(map(one.listed.get, _UNIONS))
        for one in conjuncts(schema)
    )


def tag(branch: Schema) -> str | None:
    """The one string that a property of the branch must be: what tells it from its siblings."""
    for one in conjuncts(branch):
        for member in one.named.get("properties", {}).values():
            for part in conjuncts(member):
                values = values_of(part)
                if values is not None and len(values) == 1 and isinstance(values[0], str):
                    return values[0]
    return None
