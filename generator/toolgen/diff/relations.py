"""How schemas stand to each other: the same, disjoint, empty; and what they say of a key or an index."""

from __future__ import annotations

import math
from typing import Final

from toolgen.diff import limits
from toolgen.diff.limits import Together
from toolgen.schema import facts
from toolgen.schema.ir import Schema

_MAX_DEPTH: Final = 5
_MAX_EMPTY: Final = 2
"""Levels of required keys of which one may be impossible."""
_MAX_PAIRS: Final = 20_000


def schemas_of_key(schema: Schema, key: str) -> list[Schema]:
    """Return what a schema surely says of the value under a key; nothing where a pattern may decide."""
    if key in schema.properties:
        return [schema.properties[key]]
    rest = schema.additional_properties
    return [rest] if rest is not None and not schema.pattern_properties else []


def schemas_of_index(together: Together, index: int) -> list[Schema]:
    """Return what some schemas say of the item at an index."""
    found: list[Schema] = []
    for schema in together:
        if index < len(schema.prefix_items):
            found.append(schema.prefix_items[index])
        elif schema.items is not None:
            found.append(schema.items)
    return found


def all_of(schemas: Together) -> tuple[Schema, ...]:
    """Return all that holds where some schemas do: what they join, and what they negate twice."""
    found: dict[Schema, None] = {}
    waiting = list(schemas)
    while waiting:
        for part in facts.conjuncts(waiting.pop()):
            if part not in found:
                found[part] = None
                waiting += [meant] if (meant := doubly_negated(part)) is not None else []
    return tuple(found)


def doubly_negated(schema: Schema) -> Schema | None:
    """Return what a schema says by `not` twice; None where it does not."""
    refused = schema.single.get("not")
    return refused.single["not"] if refused is not None and set(refused.keywords) == {"not"} else None


def is_empty(together: Together, depth: int = 0) -> bool:
    """Return whether it is plain that no value is taken by all of some schemas."""
    types = facts.types_of(together)
    return limits.values(together) == [] or all(_has_none(name, together, depth) for name in types)


def _has_none(name: str, together: Together, depth: int) -> bool:
    """Return whether it is plain that no value of a type is taken by all of some schemas."""
    match name:
        case "integer" | "fraction":
            return limits.disjoint_intervals(together, together)
        case "string" | "array":
            words = ("minLength", "maxLength") if name == "string" else ("minItems", "maxItems")
            return limits.least(together, words[0]) > min(limits.held(together, words[1]), default=math.inf)
        case "object":
            return limits.least(together, "minProperties") > most_properties(together) or (
                depth < _MAX_EMPTY
                and any(_is_impossible(together, key, depth) for key in _required(together))
            )
    return False


def _is_impossible(together: Together, key: str, depth: int) -> bool:
    parts = [part for schema in together for part in schemas_of_key(schema, key)]
    every = tuple(dict.fromkeys(inner for part in parts for inner in facts.conjuncts(part)))
    return any(part.verdict is False for part in every) or is_empty(every, depth + 1)


def _required(together: Together) -> set[str]:
    return {name for schema in together for name in schema.required}


def most_properties(together: Together) -> float:
    """Return the most properties that some schemas leave: by `maxProperties`, or as no other keys are allowed."""
    named = [
        sum(part.verdict is not False for part in schema.properties.values())
        for schema in together
        if facts.is_closed(schema)
    ]
    return min([*limits.held(together, "maxProperties"), *named], default=math.inf)


def are_disjoint(left: Together, right: Together, depth: int = 0) -> bool:
    """Return whether it is proved that no value is taken by both."""
    left = tuple(dict.fromkeys(part for schema in left for part in facts.conjuncts(schema)))
    right = tuple(dict.fromkeys(part for schema in right for part in facts.conjuncts(schema)))
    types = facts.types_of((*left, *right))
    if not types or is_empty((*left, *right)):
        return True
    if types <= {"integer", "fraction"}:
        return limits.disjoint_intervals(left, right)
    if types == {"string"}:
        return _disjoint_counts(left, right, "minLength", "maxLength")
    if types == {"array"}:
        return _disjoint_counts(left, right, "minItems", "maxItems")
    return types == {"object"} and depth < _MAX_DEPTH and _disjoint_objects(left, right, depth)


def _disjoint_counts(left: Together, right: Together, least: str, most: str) -> bool:
    highs = limits.held((*left, *right), most)
    return bool(highs) and limits.least((*left, *right), least) > min(highs)


def _disjoint_objects(left: Together, right: Together, depth: int) -> bool:
    """Return whether a key that one side requires can have no value that both take."""
    required = {name for schema in (*left, *right) for name in schema.required}
    for name in required:
        mine = [part for schema in left for part in schemas_of_key(schema, name)]
        others = [part for schema in right for part in schemas_of_key(schema, name)]
        if mine and others and are_disjoint(mine, others, depth + 1):
            return True
        if any(part.verdict is False for part in (*mine, *others)):
            return True
    return _disjoint_counts(left, right, "minProperties", "maxProperties")


def same(left: Schema, right: Schema) -> bool:
    """Return whether two schemas say the same of every value because they are written alike, references followed."""
    seen: set[tuple[Schema, Schema]] = set()
    waiting = [(left, right)]
    while waiting:
        one, other = waiting.pop()
        if one is other or (one, other) in seen:
            continue
        seen.add((one, other))
        if len(seen) > _MAX_PAIRS or not _alike(one, other):
            return False
        for keyword, child in one.single.items():
            waiting.append((child, other.single[keyword]))
        for keyword, listed in one.listed.items():
            waiting += zip(listed, other.listed[keyword], strict=True)
        for keyword, named in one.named.items():
            waiting += ((child, other.named[keyword][name]) for name, child in named.items())
    return True


def are_alike(left: Together, right: Together) -> bool:
    """Return whether each schema of either side is written like one of the other."""
    return all(any(same(one, other) for other in right) for one in left) and all(
        any(same(one, other) for one in left) for other in right
    )


def _alike(one: Schema, other: Schema) -> bool:
    """Return whether two schemas have the same assertions, and subschemas at the same places."""
    return (
        one.verdict == other.verdict
        and one.whole_floats == other.whole_floats
        and one.contains_evaluates == other.contains_evaluates
        and limits.is_among(_plain(one), [_plain(other)])
        and one.single.keys() == other.single.keys()
        and {word: len(listed) for word, listed in one.listed.items()}
        == {word: len(listed) for word, listed in other.listed.items()}
        and {word: sorted(named) for word, named in one.named.items()}
        == {word: sorted(named) for word, named in other.named.items()}
    )


def _plain(schema: Schema) -> dict[str, object]:
    """Return the assertions as JSON, to be compared as JSON: `1` is `1.0` and not `true`."""
    return {
        word: list(value) if isinstance(value, tuple) else value for word, value in schema.assertions.items()
    }
