"""How schemas stand to each other: disjoint, empty; and what they say of an index."""

from __future__ import annotations

from typing import Final

from toolgen.diff import limits
from toolgen.diff.conjunction import Conjunction, Together, all_of_key, remembered, required_of, types_of
from toolgen.schema import facts
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import kind_of_type

_MAX_DEPTH: Final = 5
_MAX_EMPTY: Final = 2
"""Levels of required keys of which one may be impossible."""


def schemas_of_index(together: Together, index: int) -> list[Schema]:
    """Return what some schemas say of the item at an index."""
    found: list[Schema] = []
    for schema in together:
        if index < len(schema.prefix_items):
            found.append(schema.prefix_items[index])
        elif schema.items is not None:
            found.append(schema.items)
    return found


@remembered
def is_empty(together: Together, depth: int = 0) -> bool:
    """Return whether it is plain that no value is taken by all of some schemas."""
    types = types_of(together)
    return limits.values(together) == [] or all(_has_none(name, together, depth) for name in types)


def _has_none(name: str, together: Together, depth: int) -> bool:
    """Return whether it is plain that no value of a type is taken by all of some schemas."""
    if limits.has_no_measure(together, kind_of_type(name)):
        return True
    return (
        name == "object"
        and depth < _MAX_EMPTY
        and any(_is_impossible(together, key, depth) for key in required_of(together))
    )


def _is_impossible(together: Together, key: str, depth: int) -> bool:
    every = _every_of_key(together, key)
    return any(part.verdict is False for part in every) or is_empty(every, depth + 1)


def _every_of_key(together: Together, key: str) -> Together:
    parts = all_of_key(together, key)
    if isinstance(together, Conjunction):
        return together.family.of(parts)
    return tuple(dict.fromkeys(inner for part in parts for inner in facts.conjuncts(part)))


def are_disjoint(left: Conjunction, right: Conjunction, depth: int = 0) -> bool:
    """Return whether it is proved that no value is taken by both."""
    question = (are_disjoint, right, depth)
    if question not in left.known:
        left.known[question] = _are_disjoint(left, right, depth)
    return bool(left.known[question])


def _are_disjoint(left: Conjunction, right: Conjunction, depth: int) -> bool:
    both = left.family.of((*left, *right))
    types = types_of(both)
    if not types or is_empty(both):
        return True
    return types == {"object"} and depth < _MAX_DEPTH and _disjoint_objects(left, right, both, depth)


def _disjoint_objects(left: Conjunction, right: Conjunction, both: Conjunction, depth: int) -> bool:
    """Return whether a key that one side requires can have no value that both take."""
    family = left.family
    for name in required_of(both):
        mine, others = all_of_key(left, name), all_of_key(right, name)
        if mine and others and are_disjoint(family.of(mine), family.of(others), depth + 1):
            return True
        if any(part.verdict is False for part in (*mine, *others)):
            return True
    return False
