"""Tags: the property whose value tells the branches of a union apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toolgen.schema.ir import Schema

_MAX_DEPTH = 10
_MAX_CHAIN = 100
"""Branches in one chain of `elif`; Python's compiler gives up on chains of thousands."""
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


def shared_tag(
    branches: Sequence[Schema], declared: str | None = None, required: Iterable[str] = ()
) -> Tag | None:
    """The property that every branch requires with values of its own; the declared discriminator first.

    `required` are keys that the schema around the branches requires already.
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
    """For each required property that only takes certain strings: these strings."""
    found: dict[str, list[str]] = {}
    parts = _conjuncts(schema)
    required = {*also_required, *(name for part in parts for name in part.assertions.get("required", ()))}
    for part in parts:
        for name, member in part.named.get("properties", {}).items():
            if name in required and name not in found and (values := _strings(member)) is not None:
                found[name] = values
    return found


def _conjuncts(schema: Schema) -> list[Schema]:
    """The schema and those that it includes by `$ref` and `allOf`, each once."""
    found = {schema: None}
    level = [schema]
    for _ in range(_MAX_DEPTH):
        level = [child for part in level for child in _included(part)]
        level = list(dict.fromkeys(child for child in level if child not in found))
        found |= dict.fromkeys(level)
    return list(found)


def _included(schema: Schema) -> tuple[Schema, ...]:
    reference = schema.single.get("$ref")
    return (*schema.listed.get("allOf", ()), *(() if reference is None else (reference,)))


def _strings(schema: Schema) -> list[str] | None:
    """The strings that a schema is limited to, without repeats."""
    for part in _conjuncts(schema):
        values = [part.assertions["const"]] if "const" in part.assertions else part.assertions.get("enum")
        if values and all(isinstance(value, str) for value in values):
            return list(dict.fromkeys(values))
    return None


def takes_strings(schema: Schema, strings: Iterable[str]) -> bool:
    """Whether a schema is no more than a choice, and takes all of these strings."""
    if schema.single or schema.listed or schema.named or not schema.assertions.keys() <= _LITERAL_KEYWORDS:
        return False
    allowed = [
        schema.assertions.get("enum"),
        [schema.assertions["const"]] if "const" in schema.assertions else None,
    ]
    return "string" in (schema.types or ("string",)) and all(
        string in values for values in allowed if values is not None for string in strings
    )


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
    if len(branches) > _MAX_CHAIN or not all(map(_is_closed, branches)):
        return None
    allowed = Counter(key for branch in branches for key in branch.named.get("properties", {}))
    found: dict[Schema, str] = {}
    for branch in branches:
        own = branch.named.get("properties", {})
        keys = branch.assertions.get("required", ())
        key = next((k for k in keys if allowed[k] == (k in own)), None)
        if key is None:
            return None
        found[branch] = key
    return found


def _is_closed(schema: Schema) -> bool:
    rest = schema.single.get("additionalProperties")
    return rest is not None and rest.verdict is False and "patternProperties" not in schema.named
