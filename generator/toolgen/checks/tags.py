"""Tags: the property whose value tells the branches of a union apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolgen.schema.ir import Schema

_MAX_DEPTH = 10
_LITERAL_KEYWORDS = frozenset({"type", "enum", "const"})


@dataclass(frozen=True, slots=True)
class Tag:
    """A property and the branch that each of its values means; values in the branches' order."""

    key: str
    branches: dict[str, Schema]

    def by_branch(self) -> list[tuple[Schema, list[str]]]:
        """(branch, its values), each branch once."""
        grouped: dict[Schema, list[str]] = {}
        for value, branch in self.branches.items():
            grouped.setdefault(branch, []).append(value)
        return list(grouped.items())


def shared_tag(branches: Sequence[Schema], declared: str | None = None) -> Tag | None:
    """The property that every branch requires with values of its own; the declared discriminator first."""
    each = [_tag_values(branch) for branch in branches]
    keys = [key for key in each[0] if all(key in values for values in each)]
    for key in sorted(keys, key=lambda k: k != declared):
        by_value = {
            value: branch for branch, values in zip(branches, each, strict=True) for value in values[key]
        }
        if len(by_value) == sum(len(values[key]) for values in each):
            return Tag(key, by_value)
    return None


def _tag_values(schema: Schema) -> dict[str, list[str]]:
    """For each required property that only takes certain strings: these strings."""
    found: dict[str, list[str]] = {}
    for part in _conjuncts(schema):
        required = {name for p in _conjuncts(schema) for name in p.assertions.get("required", ())}
        for name, member in part.named.get("properties", {}).items():
            values = _strings(member)
            if name in required and values is not None and name not in found:
                found[name] = values
    return found


def _conjuncts(schema: Schema, depth: int = 0) -> list[Schema]:
    """The schema and those that it includes by `$ref` and `allOf`."""
    found = [schema]
    if depth < _MAX_DEPTH:
        for child in (
            *schema.listed.get("allOf", ()),
            *(schema.single[k] for k in ("$ref",) if k in schema.single),
        ):
            found += _conjuncts(child, depth + 1)
    return found


def _strings(schema: Schema) -> list[str] | None:
    """The strings that a schema is limited to, without repeats."""
    for part in _conjuncts(schema):
        values = [part.assertions["const"]] if "const" in part.assertions else part.assertions.get("enum")
        if values and all(isinstance(value, str) for value in values):
            return list(dict.fromkeys(values))
    return None


def literal_values(branches: Sequence[Schema], distinct: bool) -> tuple[str, ...] | None:
    """All strings of branches that are nothing but strings to choose from; `distinct`: none stands in two."""
    found: list[str] = []
    for branch in branches:
        plain = (
            not (branch.single or branch.listed or branch.named)
            and branch.assertions.keys() <= _LITERAL_KEYWORDS
        )
        values = _strings(branch) if plain and not {"const", "enum"} <= branch.assertions.keys() else None
        if values is None or branch.types not in (None, ("string",)):
            return None
        found += values
    if distinct and len(set(found)) != len(found):
        return None
    return tuple(dict.fromkeys(found))


def telling_keys(branches: Sequence[Schema]) -> dict[Schema, str] | None:
    """For each branch a key that it requires and that every other branch forbids; None if one has none.

    Such unions name the choice by a key (`{"circle": {...}}` or `{"square": {...}}`): an object with the
    key of one branch can be valid under no other.
    """
    found: dict[Schema, str] = {}
    for branch in branches:
        others = [other for other in branches if other is not branch]
        keys = branch.assertions.get("required", ())
        key = next((k for k in keys if all(_forbids(other, k) for other in others)), None)
        if key is None:
            return None
        found[branch] = key
    return found


def _forbids(schema: Schema, key: str) -> bool:
    rest = schema.single.get("additionalProperties")
    closed = rest is not None and rest.verdict is False and "patternProperties" not in schema.named
    return closed and key not in schema.named.get("properties", {})
