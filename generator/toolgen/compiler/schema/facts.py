"""What a schema says about values. Checks and payload models both use this, so that they agree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from toolgen.compiler.schema.cycles import reached
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import (
    ALL_KINDS,
    ALL_TYPES,
    Kind,
    Types,
    kind_of,
    kinds_of_types,
    narrowest_types,
    type_of,
)
from toolgen_runtime.validation.helpers import equal

_MAX_SEARCHED_DEPTH: Final = 40
"""The number of levels of subschemas for the same value to search; below them, every kind counts as possible."""
_CHOOSING: Final = frozenset(("type", "enum", "const"))


# -- conjunctions


def conjuncts(schema: Schema) -> tuple[Schema, ...]:
    """Return a schema with all schemas that apply together with it: targets of references, and parts of
    `allOf`.
    """
    return tuple(reached([schema], Schema.conjoined))


# -- types and kinds


def own_types(schema: Schema) -> Types:
    """Return the types that a schema's own `type`, `enum` and `const` allow."""
    if schema.verdict is False:
        return frozenset()
    if schema.types is None:
        left = ALL_TYPES
    else:
        left = narrowest_types(schema.types)
    values = values_of(schema)
    if values is None:
        return left
    return left & frozenset(map(type_of, values))


def types_of(together: Sequence[Schema]) -> Types:
    """Return the types that all of these schemas allow."""
    return ALL_TYPES.intersection(*map(own_types, together))


def possible_kinds(
    schema: Schema, depth: int = 0, known: dict[Schema, frozenset[Kind]] | None = None
) -> frozenset[Kind]:
    """Return the kinds of values that a schema may accept. The result is an upper bound."""
    if schema.verdict is not None or depth > _MAX_SEARCHED_DEPTH:
        if schema.verdict is False:
            return frozenset()
        return ALL_KINDS
    known = {} if known is None else known
    if schema not in known:  # the same definition may be reached in very many ways
        kinds = kinds_of_types(own_types(schema))
        for facts, subschemas in schema.in_place():
            if facts.joins is not None:
                each = [possible_kinds(child, depth + 1, known) for child in subschemas]
                kinds &= frozenset[Kind]().union(*each) if facts.is_union else ALL_KINDS.intersection(*each)
        known[schema] = kinds
    return known[schema]


def sole_kind(schema: Schema) -> Kind | None:
    """Return the kind of value that `type` allows if it is the only one; otherwise None.

    Return None if there is no such kind, or if no keywords apply to it (null or boolean).
    """
    types = schema.types
    if types is None:
        return None
    return _sole_kind_of_types(types)


@lru_cache(maxsize=256)
def _sole_kind_of_types(types: tuple[str, ...]) -> Kind | None:
    kinds = list(kinds_of_types(types))
    if len(kinds) == 1 and kinds[0] not in (Kind.NULL, Kind.BOOLEAN):
        return kinds[0]
    return None


# -- values


def is_choice(schema: Schema) -> bool:
    """Return whether a schema consists only of `type`, `enum` and `const`."""
    return schema.is_plain and schema.assertions.keys() <= _CHOOSING


def values_of(schema: Schema) -> list[Any] | None:
    """Return the values that `enum` and `const` allow; None if the schema has neither."""
    choices = [values for _, values in schema.choices]
    if not choices:
        return None
    first, *others = reversed(choices)
    return [v for v in first if all(any(equal(v, other) for other in values) for values in others)]


def strings_of(schema: Schema) -> list[str] | None:
    """Return the strings that are allowed, if the schema or one of its conjuncts lists them.

    Return None if neither limits the value to strings.
    """
    for one in conjuncts(schema):
        values = values_of(one)
        if values and all(isinstance(value, str) for value in values):
            return list(dict.fromkeys(values))
    return None


def kind_of_choices(schema: Schema) -> Kind | None:
    """Return the kind (string or number) that `type` and all values of `enum` and `const` share; otherwise
    None.
    """
    kind = sole_kind(schema)
    if not schema.choices or kind not in (Kind.STRING, Kind.NUMBER):
        return None
    return kind if all(kind_of(value) is kind for _, values in schema.choices for value in values) else None


# -- objects


def is_closed(schema: Schema) -> bool:
    """Return whether a schema allows no keys but those in its own `properties`."""
    rest = schema.additional_properties
    return rest is not None and rest.verdict is False and not schema.pattern_properties


def has_parts(schema: Schema) -> bool:
    """Return whether a schema itself describes keys of an object or items of an array.

    Conjuncts do not count.
    """
    return (
        bool(schema.properties or schema.pattern_properties or schema.prefix_items)
        or schema.items is not None
        or schema.additional_properties is not None
    )


# -- unions


def branches(schema: Schema) -> tuple[Schema, ...]:
    """Return the branches of a schema's own union. A union that only says which keys are required does not
    count.
    """
    for facts, members in schema.in_place():
        if facts.is_union and any(map(says_types, members)):
            return tuple(member for member in members if member.verdict is not False)
    return ()


def says_types(schema: Schema) -> bool:
    """Return whether a schema or one of its conjuncts says anything about types, values, keys, items or
    unions.
    """
    return any(
        one.types is not None
        or values_of(one) is not None
        or has_parts(one)
        or any(facts.is_union for facts in one.facts)
        for one in conjuncts(schema)
    )


def label(branch: Schema) -> str | None:
    """Return a string that can serve as the name of a branch: the only string that one of its properties
    allows.

    Return None if there is no such string.
    """
    for one in conjuncts(branch):
        for member in one.properties.values():
            for part in conjuncts(member):
                values = values_of(part)
                if values is not None and len(values) == 1 and isinstance(values[0], str):
                    return values[0]
    return None
