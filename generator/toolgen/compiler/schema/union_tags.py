"""Find out how the branches of a union differ.

They may differ by the kind of value, by a tag, or by a key that each of them has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from toolgen.compiler.schema.facts import (
    conjuncts,
    is_choice,
    is_closed,
    possible_kinds,
    strings_of,
    values_of,
)
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import Kind

_MAX_CHAIN = 100
"""The maximum number of branches in a chain of `elif`; Python's compiler fails on chains of thousands."""
_MAX_KEYS = 100
"""The maximum number of keys that distinguish a branch."""
_MAX_TAG_VALUES = 50
"""The maximum number of values of such a key."""
_MAX_UNION_DEPTH = 40
"""The number of levels of nested unions to search for keys."""


Declared = dict[str, tuple[Any, ...] | None]
"""The keys of a branch, each with the scalars that it is limited to, or None."""


class Tag(NamedTuple):
    """A property whose value decides which branch of a union applies.

    Each value has its branch, in the order of the branches.
    """

    key: str
    branches: dict[str, Schema]

    def by_branch(self) -> list[tuple[Schema, list[str]]]:
        """Return each branch with the values that select it."""
        grouped: dict[Schema, list[str]] = {}
        for value, branch in self.branches.items():
            grouped.setdefault(branch, []).append(value)
        return list(grouped.items())


def shared_tag(
    branches: Sequence[Schema], declared: object = None, required: Iterable[str] = ()
) -> Tag | None:
    """Return a property that every branch requires and whose values differ between the branches; None if
    there is none.

    A `declared` one is preferred.

    `required` contains keys that the schema around the branches already requires.
    """
    each = [_tag_values(branch, required) for branch in branches]
    keys = [key for key in each[0] if all(key in values for values in each)]
    for key in sorted(keys, key=lambda k: k != declared):
        by_value = {
            value: branch for branch, values in zip(branches, each, strict=True) for value in values[key]
        }
        if len(by_value) == sum(len(values[key]) for values in each):
            return Tag(key, by_value)
    return None


def _tag_values(schema: Schema, also_required: Iterable[str]) -> dict[str, list[str]]:
    """Return the strings of each required property that accepts only certain strings."""
    found: dict[str, list[str]] = {}
    parts = conjuncts(schema)
    required = {*also_required, *(name for part in parts for name in part.required)}
    for part in parts:
        for name, member in part.properties.items():
            if name in required and name not in found and (values := strings_of(member)) is not None:
                found[name] = values
    return found


def declared_keys(schema: Schema, depth: int = 0, known: dict[Schema, Declared] | None = None) -> Declared:
    """Return the keys that a branch of a union declares.

    Each key has the scalars that the branch allows for it, or None.

    A branch that is itself a union has the keys and values of all its branches. Below `_MAX_UNION_DEPTH` levels of
    unions, branches have no keys.
    """
    if depth > _MAX_UNION_DEPTH:
        return {}
    known = {} if known is None else known
    if schema not in known:  # the same definition may be reached in very many ways
        found: Declared = {}
        for part in conjuncts(schema):
            for name, member in part.properties.items():
                found[name] = found.get(name) or _scalars_of(member)
            for name in part.required:
                found.setdefault(name, None)
            for facts, branches in part.in_place():
                if facts.is_union:
                    each = [declared_keys(branch, depth + 1, known) for branch in branches]
                    for name, values in _of_any(each).items():
                        found[name] = found.get(name) or values
        known[schema] = dict(list(found.items())[:_MAX_KEYS])
    return known[schema]


def _of_any(each: list[Declared]) -> Declared:
    """Return the keys of all branches. A key has values only if it has values in every branch that declares it."""
    found: Declared = {}
    for keys in each:
        for name, values in keys.items():
            known = found.get(name, ())
            found[name] = None if known is None or values is None else tuple(dict.fromkeys((*known, *values)))
    return found


def _scalars_of(schema: Schema) -> tuple[Any, ...] | None:
    """Return the strings, numbers and booleans that a schema allows besides null, if there are only a few."""
    for one in conjuncts(schema):
        values = [value for value in values_of(one) or () if value is not None]
        if 0 < len(values) <= _MAX_TAG_VALUES and all(isinstance(v, str | int | float) for v in values):
            return tuple(values)
    return None


def takes_strings(schema: Schema, strings: Iterable[str]) -> bool:
    """Return whether a schema only lists allowed values, and all of these strings are among them."""
    if not is_choice(schema):
        return False
    allowed = values_of(schema)
    takes_type = "string" in (schema.types or ("string",))
    return takes_type and (allowed is None or all(string in allowed for string in strings))


def literal_values(branches: Sequence[Schema], distinct: bool) -> tuple[str, ...] | None:
    """Return all strings that the branches list; None if a branch does anything else.

    With `distinct`, no string may occur twice.
    """
    found: list[str] = []
    for branch in branches:
        if is_choice(branch):
            values = strings_of(branch)
        else:
            values = None
        if values is None or branch.types not in (None, ("string",)):
            return None
        found += values
    if distinct and len(set(found)) != len(found):
        return None
    return tuple(dict.fromkeys(found))


def distinct_keys(branches: Sequence[Schema]) -> dict[Schema, str] | None:
    """Return for each branch a key that this branch requires and all others forbid.

    Return None if a branch has no such key.

    Such unions choose the branch by a key (`{"circle": {...}}` or `{"square": {...}}`). An object with the key of one
    branch cannot be valid under another.
    """
    if len(branches) > _MAX_CHAIN or not all(map(is_closed, branches)):
        return None
    allowed = Counter(key for branch in branches for key in branch.properties)
    found: dict[Schema, str] = {}
    for branch in branches:
        own = branch.properties
        keys = branch.required
        key = next((k for k in keys if allowed[k] == (k in own)), None)
        if key is None:
            return None
        found[branch] = key
    return found


class Group(NamedTuple):
    """The branches of a union that accept values of the same kinds."""

    kinds: frozenset[Kind]
    branches: tuple[Schema, ...]

    @property
    def keys(self) -> dict[Schema, str] | None:
        """The key that identifies each branch (see `distinct_keys`), or None if there are no such keys."""
        if self.kinds == {Kind.OBJECT}:
            return distinct_keys(self.branches)
        return None


def groups_of(branches: Sequence[Schema]) -> list[Group]:
    """Divide the branches into groups, so that each JSON type is accepted by only one group.

    A branch that accepts no value is left out.
    """
    parted: list[tuple[frozenset[Kind], list[int]]] = []
    for position, branch in enumerate(branches):
        kinds = possible_kinds(branch)
        touched = [g for g in parted if g[0] & kinds]
        if not touched:
            parted += [(kinds, [position])] if kinds else []
            continue
        merged = kinds.union(*(g[0] for g in touched)), [p for g in touched for p in g[1]] + [position]
        parted[parted.index(touched[0])] = merged
        parted = [g for g in parted if g not in touched[1:]]
    return [Group(kinds, tuple(branches[p] for p in sorted(positions))) for kinds, positions in parted]
